-- Puts a rating in force in place of an earlier one.
-- $1 text tenant
-- $2 text period
-- $3 bigint rating
INSERT INTO finance.rating_in_force (tenant, period, rating_id)
VALUES ($1::text, $2::text, $3::bigint)
ON CONFLICT (tenant, period) DO UPDATE SET rating_id = excluded.rating_id;
