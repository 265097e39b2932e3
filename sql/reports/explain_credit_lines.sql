-- Which lines a grant paid for, use by use, and what other grants paid of them.
-- $1 bigint grant
-- $2 integer place of the use, NULL for all
SELECT e.place, COALESCE(v.number, v.tenant || ':' || v.period) || '/' || u.line, l.model, l.service_tier, l.meter,
       round(l.amount_minor * 10::numeric ^ -v.minor_units, v.minor_units), round(u.amount_minor * 10::numeric ^ -v.minor_units, v.minor_units),
       round((SELECT sum(o.amount_minor) FROM finance.credit_use_line o WHERE o.invoice_id = u.invoice_id AND o.line = u.line AND o.entry_id <> u.entry_id)
           * 10::numeric ^ -v.minor_units, v.minor_units)
  FROM finance.credit_entry e
  JOIN finance.credit_use_line u USING (entry_id)
  JOIN finance.invoice v ON v.invoice_id = u.invoice_id
  JOIN finance.invoice_line l ON l.invoice_id = u.invoice_id AND l.line = u.line
 WHERE e.grant_id = $1::bigint AND ($2::integer IS NULL OR e.place = $2::integer)
 ORDER BY e.place, u.line;
