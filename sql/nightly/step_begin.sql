-- Begins a step, or begins it again; no row where it is done.
-- $1 bigint night run
-- $2 text step
-- $3 smallint its place
-- $4 timestamptz the clock
INSERT INTO finance.night_step AS s (night_run, step, place, started_at)
VALUES ($1::bigint, $2::text, $3::smallint, $4::timestamptz)
ON CONFLICT (night_run, step) DO UPDATE SET started_at = excluded.started_at WHERE s.ended_at IS NULL
RETURNING true;
