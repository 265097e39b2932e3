-- The series that an issuer numbers a kind of document in; it stays so until the transaction ends.
-- $1 text issuer
-- $2 boolean of credit notes, else of invoices
SELECT CASE WHEN $2::boolean THEN credit_note_series ELSE invoice_series END FROM finance.issuer WHERE issuer = $1::text FOR SHARE;
