-- Which credits paid for a line, and how much of it.
-- $1 bigint invoice
-- $2 integer line
SELECT 'credit:' || e.grant_id || '/' || e.place, g.kind, round(u.amount_minor * 10::numeric ^ -g.minor_units, g.minor_units),
       to_char(e.booked_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
  FROM finance.credit_use_line u
  JOIN finance.credit_entry e USING (entry_id)
  JOIN finance.credit_grant g USING (grant_id)
 WHERE u.invoice_id = $1::bigint AND u.line = $2::integer
 ORDER BY e.entry_id;
