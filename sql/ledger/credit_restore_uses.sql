-- What paid the lines of an invoice.
-- $1 bigint invoice
SELECT u.line, e.grant_id, u.amount_minor
  FROM finance.credit_use_line u
  JOIN finance.credit_entry e USING (entry_id)
 WHERE u.invoice_id = $1::bigint
 ORDER BY u.line, e.entry_id;
