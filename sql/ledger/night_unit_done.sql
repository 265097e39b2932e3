-- Marks a unit as done; one that is done stays.
-- $1 bigint night run
-- $2 text step
-- $3 text unit
-- $4 text result, JSON
-- $5 bytea digest, or NULL
INSERT INTO finance.night_unit AS u (night_run, step, unit, plan, is_done, result, digest)
VALUES ($1::bigint, $2::text, $3::text, '', true, $4::text, $5::bytea)
ON CONFLICT (night_run, step, unit) DO UPDATE SET is_done = true, result = excluded.result, digest = excluded.digest WHERE NOT u.is_done;
