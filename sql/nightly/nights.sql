-- The nights to run, in order: those after the last one that is done, up to the one that is asked for; that one alone where there was none
-- before.  One that was begun keeps its instant and whether it was missed.  Last, the instant of the one before it that was begun.
-- $1 date the night that is asked for
-- $2 time when in the night
-- $3 text zone
SELECT d.night::text, (extract(epoch FROM COALESCE(r.at, (d.night + $2::time) AT TIME ZONE $3::text)) * 1000000)::bigint,
       COALESCE(r.caught_up, d.night < $1::date),
       (SELECT (extract(epoch FROM max(b.at)) * 1000000)::bigint FROM finance.night_run b WHERE b.night < d.night)
  FROM (SELECT generate_series(COALESCE((SELECT max(night) + 1 FROM finance.night_run WHERE ended_at IS NOT NULL),
                                        (SELECT min(night) FROM finance.night_run), $1::date)::timestamp, $1::timestamp, interval '1 day')::date AS night) d
  LEFT JOIN finance.night_run r USING (night)
 ORDER BY d.night;
