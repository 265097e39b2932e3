-- each invoice total = the sum of its lines - credits + tax, to the minor unit, each line rounded half away from zero
-- (a line of an adjustment is as that was booked: rounding what a period comes to twice would give the cent away)
SELECT v.tenant, v.period, COALESCE(v.number, 'draft') AS number, v.total_minor AS total, COALESCE(l.minor, 0) AS lines,
       COALESCE(l.rounded, 0) AS lines_rounded_again, v.credits_minor AS credits, v.tax_minor AS tax,
       v.exact_total, COALESCE(l.exact, 0) AS exact_lines
  FROM finance.invoice v
  LEFT JOIN (SELECT x.invoice_id, sum(x.amount_minor) AS minor, sum(x.exact_amount) AS exact,
                    sum(CASE WHEN x.adjustment_id IS NULL THEN round(x.exact_amount * 10::numeric ^ i.minor_units)
                             ELSE x.amount_minor END) AS rounded
               FROM finance.invoice_line x JOIN finance.invoice i USING (invoice_id) GROUP BY x.invoice_id) l USING (invoice_id)
 WHERE v.total_minor <> COALESCE(l.minor, 0) - v.credits_minor + v.tax_minor
    OR v.total_minor <> COALESCE(l.rounded, 0) - v.credits_minor + v.tax_minor OR v.exact_total <> COALESCE(l.exact, 0)
    OR (v.status = 'draft' AND v.credits_minor <> 0);
