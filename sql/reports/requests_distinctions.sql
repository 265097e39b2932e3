-- What the intervals up to a run follow, and since when (microseconds).
-- $1 bigint run
SELECT kind, boundary, name, (extract(epoch FROM min(since)) * 1000000)::bigint
  FROM metering.distinction
 WHERE rating_run <= $1::bigint
 GROUP BY kind, boundary, name
 ORDER BY kind, boundary, name;
