-- The lines paid by credits that credit notes of the same invoice gave back, up to this one: line, amount, is it of this one.
-- $1 bigint credit note
SELECT l.line, l.credits_minor, o.credit_note_id = n.credit_note_id
  FROM finance.credit_note n
  JOIN finance.credit_note o ON o.invoice_id = n.invoice_id AND o.credit_note_id <= n.credit_note_id
  JOIN finance.credit_note_line l ON l.credit_note_id = o.credit_note_id
 WHERE n.credit_note_id = $1::bigint AND l.line IS NOT NULL AND l.credits_minor <> 0
 ORDER BY o.credit_note_id, l.place;
