-- The units of a step.
-- $1 bigint night run
-- $2 text step
SELECT unit, plan, is_done, result, COALESCE(encode(digest, 'hex'), '') FROM finance.night_unit
 WHERE night_run = $1::bigint AND step = $2::text ORDER BY unit;
