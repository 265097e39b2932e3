-- Begins a night, or goes on with it, with the program and the settings of this attempt: its number, when it was begun first, and how often it was.
-- $1 date the night
-- $2 timestamptz its instant
-- $3 boolean whether it was missed
-- $4 timestamptz now
-- $5 text version of the program
-- $6 text settings, JSON
-- $7 text version of the system's zone data
INSERT INTO finance.night_run AS r (night_run, night, at, caught_up, read_at, attempts, code_version, zone_data, settings)
SELECT COALESCE((SELECT max(night_run) FROM finance.night_run), 0) + 1, $1::date, $2::timestamptz, $3::boolean, $4::timestamptz, 1, $5::text,
       $7::text || '; PostgreSQL ' || current_setting('server_version'), $6::text
ON CONFLICT (night) DO UPDATE SET attempts = r.attempts + 1, code_version = excluded.code_version, zone_data = excluded.zone_data, settings = excluded.settings
RETURNING r.night_run, (extract(epoch FROM r.read_at) * 1000000)::bigint, r.attempts;
