-- The next numbers of a series of an issuer in a year: the first of so many; no row when a later date was issued already.
-- $1 text issuer
-- $2 text series
-- $3 date of issue
-- $4 bigint how many
INSERT INTO finance.document_counter AS c (issuer, series, year, next_number, last_date)
VALUES ($1::text, $2::text, extract(year FROM $3::date)::integer, 1 + $4::bigint, $3::date)
ON CONFLICT (issuer, series, year) DO UPDATE SET next_number = c.next_number + $4::bigint, last_date = excluded.last_date
 WHERE c.last_date <= excluded.last_date
RETURNING next_number - $4::bigint;
