-- each invoice total = the sum of its lines, to the minor unit, each line rounded half away from zero
SELECT v.tenant, v.period, COALESCE(v.number, 'draft') AS number, v.total_minor AS total, COALESCE(l.minor, 0) AS lines,
       COALESCE(l.rounded, 0) AS lines_rounded_again, v.exact_total, COALESCE(l.exact, 0) AS exact_lines
  FROM finance.invoice v
  LEFT JOIN (SELECT x.invoice_id, sum(x.amount_minor) AS minor, sum(x.exact_amount) AS exact,
                    sum(round(x.exact_amount * 10::numeric ^ i.minor_units)) AS rounded
               FROM finance.invoice_line x JOIN finance.invoice i USING (invoice_id) GROUP BY x.invoice_id) l USING (invoice_id)
 WHERE v.total_minor <> COALESCE(l.minor, 0) OR v.total_minor <> COALESCE(l.rounded, 0) OR v.exact_total <> COALESCE(l.exact, 0);
