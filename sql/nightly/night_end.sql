-- Ends a night; it does not change any more.
-- $1 bigint night run
-- $2 timestamptz the clock
-- $3 text outcome
-- $4 text manifest, JSON
UPDATE finance.night_run SET ended_at = $2::timestamptz, outcome = $3::text, manifest = $4::text
 WHERE night_run = $1::bigint AND ended_at IS NULL;
