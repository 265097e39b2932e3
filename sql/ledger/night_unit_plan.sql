-- Adds a unit that a step is to do; one that is there stays.
-- $1 bigint night run
-- $2 text step
-- $3 text unit
-- $4 text what is pinned for it
INSERT INTO finance.night_unit (night_run, step, unit, plan, is_done) VALUES ($1::bigint, $2::text, $3::text, $4::text, false)
ON CONFLICT (night_run, step, unit) DO NOTHING;
