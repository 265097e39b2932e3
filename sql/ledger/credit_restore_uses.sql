-- What paid the lines of the invoice of a credit note.
-- $1 bigint credit note
SELECT u.line, e.grant_id, u.amount_minor
  FROM finance.credit_note n
  JOIN finance.credit_use_line u USING (invoice_id)
  JOIN finance.credit_entry e USING (entry_id)
 WHERE n.credit_note_id = $1::bigint
 ORDER BY u.line, e.entry_id;
