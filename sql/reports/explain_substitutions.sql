-- Which price versions a re-rate put in the place of others.
-- $1 bigint re-rate
-- $2 text tenant, NULL for all
SELECT s.tenant, s.period, s.model, b.book || ' v' || b.version
  FROM finance.price_substitution s
  JOIN finance.price_book_version b USING (price_book_version_id)
 WHERE s.rerate_id = $1::bigint AND ($2::text IS NULL OR s.tenant = $2::text)
 ORDER BY s.substitution_id;
