-- Has an issuer given numbers of these series to documents of the other kind?
-- $1 text code
-- $2 text series of its invoices
-- $3 text series of its credit notes
SELECT EXISTS (SELECT FROM finance.credit_note WHERE issuer = $1::text AND split_part(number, '-', 2) = $2::text),
       EXISTS (SELECT FROM finance.invoice WHERE issuer = $1::text AND status = 'final' AND split_part(number, '-', 2) = $3::text);
