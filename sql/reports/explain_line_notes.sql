-- Which credit notes credit a line, and how much of it; without a line, those of whole invoices.
-- $1 bigint[] invoices
-- $2 integer line
SELECT n.number || CASE WHEN $2::integer IS NULL THEN '' ELSE '/' || min(l.place) END, n.issued_on, n.scope,
       round(sum(l.amount_minor) * 10::numeric ^ -n.minor_units, n.minor_units), round(sum(l.credits_minor) * 10::numeric ^ -n.minor_units, n.minor_units),
       n.reason, n.ticket
  FROM finance.credit_note n
  JOIN finance.credit_note_line l USING (credit_note_id)
 WHERE n.invoice_id = ANY($1::bigint[]) AND ($2::integer IS NULL OR l.line = $2::integer)
 GROUP BY n.credit_note_id
 ORDER BY n.credit_note_id;
