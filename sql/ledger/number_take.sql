-- The next number of an issuer's invoice series of a year; no row when a later date was issued already.
-- $1 text issuer
-- $2 date of issue
INSERT INTO finance.document_counter AS c (issuer, series, year, next_number, last_date)
VALUES ($1::text, 'INV', extract(year FROM $2::date)::integer, 2, $2::date)
ON CONFLICT (issuer, series, year) DO UPDATE SET next_number = c.next_number + 1, last_date = excluded.last_date
 WHERE c.last_date <= excluded.last_date
RETURNING next_number - 1;
