-- Makes an issuer, or gives it its new name and series; final invoices keep the name they were issued with, and documents their numbers.
-- $1 text code
-- $2 text name
-- $3 text series of its invoices
-- $4 text series of its credit notes
INSERT INTO finance.issuer (issuer, name, invoice_series, credit_note_series) VALUES ($1::text, $2::text, $3::text, $4::text)
ON CONFLICT (issuer) DO UPDATE SET name = excluded.name, invoice_series = excluded.invoice_series, credit_note_series = excluded.credit_note_series;
