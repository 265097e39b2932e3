-- A nightly run, for its manifest.
-- $1 bigint night run
SELECT r.night_run, r.night::text, (extract(epoch FROM r.at) * 1000000)::bigint, r.caught_up, r.code_version, r.zone_data, r.attempts,
       (extract(epoch FROM r.read_at) * 1000000)::bigint
  FROM finance.night_run r WHERE r.night_run = $1::bigint;
