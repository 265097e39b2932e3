-- Does the version of a re-rate stand in for anything: is a tenant with a rating in its scope priced by its book?  And which books price them.
-- $1 bigint price book version
-- $2 text period
-- $3 text tenant, '' for all
SELECT COALESCE(bool_or(b.book = v.book), false), COALESCE(string_agg(DISTINCT b.book, ', '), '')
  FROM finance.price_book_version v
 CROSS JOIN finance.rating_in_force f
  JOIN finance.billing_period p ON p.tenant = f.tenant AND p.period = f.period
  JOIN finance.contract c ON c.tenant = f.tenant AND c.effective < p.ends AND COALESCE(c.until, 'infinity') > p.starts
 CROSS JOIN LATERAL (VALUES (c.book), (c.override)) AS b (book)
 WHERE v.price_book_version_id = $1::bigint AND f.period = $2::text AND ($3::text = '' OR f.tenant = $3::text) AND b.book <> '';
