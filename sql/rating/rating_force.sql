-- Puts the ratings of a run in force in place of earlier ones.
-- $1 bigint run
INSERT INTO finance.rating_in_force (tenant, period, rating_id)
SELECT tenant, period, rating_id FROM finance.rating WHERE rating_run = $1::bigint
ON CONFLICT (tenant, period) DO UPDATE SET rating_id = excluded.rating_id;
