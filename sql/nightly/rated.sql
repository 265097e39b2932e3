-- What the step rate of a night did, as it noted when it booked that.
-- $1 bigint night run
SELECT result::jsonb ->> 'rating_run', result::jsonb ->> 'events', result::jsonb ->> 'intervals', result::jsonb ->> 'ratings', result::jsonb ->> 'charges',
       result::jsonb ->> 'holds', result::jsonb ->> 'not_rated', result::jsonb ->> 'parked', result
  FROM finance.night_unit WHERE night_run = $1::bigint AND step = 'rate' AND unit = 'run' AND is_done;
