-- Ends a step, with what it says of itself.
-- $1 bigint night run
-- $2 text step
-- $3 timestamptz the clock
-- $4 text for people
-- $5 text JSON
-- $6 boolean something waits for a person
-- $7 boolean the books do not agree
UPDATE finance.night_step
   SET ended_at = $3::timestamptz, told = $4::text, result = $5::text, findings = $6::boolean, differences = $7::boolean
 WHERE night_run = $1::bigint AND step = $2::text AND ended_at IS NULL;
