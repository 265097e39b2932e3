-- Remembers how far a unit is that is not done.
-- $1 bigint night run
-- $2 text step
-- $3 text unit
-- $4 text result so far, JSON
UPDATE finance.night_unit SET result = $4::text
 WHERE night_run = $1::bigint AND step = $2::text AND unit = $3::text AND NOT is_done;
