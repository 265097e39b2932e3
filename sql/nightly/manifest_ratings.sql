-- The rating run of a night, and a digest of what came out.
-- $1 bigint night run
SELECT r.rating_run, encode(r.output_digest, 'hex'), r.events, r.intervals, r.ratings, r.charges, r.holds
  FROM finance.night_unit u JOIN finance.rating_run r ON r.rating_run = (u.result::json ->> 'rating_run')::bigint
 WHERE u.night_run = $1::bigint AND u.step = 'rate' AND u.unit = 'run' AND u.is_done;
