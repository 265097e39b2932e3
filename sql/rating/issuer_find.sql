-- An issuer and its series; nobody takes a number or changes it until the transaction ends.
-- $1 text code
SELECT name, invoice_series, credit_note_series FROM finance.issuer WHERE issuer = $1::text FOR UPDATE;
