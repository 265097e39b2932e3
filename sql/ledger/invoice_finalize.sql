-- Makes a draft final.
-- $1 bigint invoice
-- $2 text number
-- $3 bigint its place in the series
-- $4 date of issue
-- $5 timestamptz when
-- $6 text by whom
-- $7 bytea digest of its content
UPDATE finance.invoice
   SET status = 'final', number = $2::text, series_number = $3::bigint, series_year = extract(year FROM $4::date)::integer,
       issued_on = $4::date, finalized_at = $5::timestamptz, finalized_by = $6::text, content_digest = $7::bytea
 WHERE invoice_id = $1::bigint AND status = 'draft';
