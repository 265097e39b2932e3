-- The version that a re-rate prices with, for every tenant in its scope that has a rating of its period.
-- $1 bigint re-rate
INSERT INTO finance.price_substitution (rerate_id, tenant, period, model, price_book_version_id)
SELECT r.rerate_id, f.tenant, f.period, r.model, r.price_book_version_id
  FROM finance.rerate r
  JOIN finance.rating_in_force f ON f.period = r.period AND (r.tenant = '' OR f.tenant = r.tenant)
 WHERE r.rerate_id = $1::bigint AND r.price_book_version_id IS NOT NULL
 ORDER BY f.tenant;
