-- What intervals follow, and since when (microseconds): now, and before this run, where they did.
-- $1 bigint run
SELECT kind, boundary, name, (extract(epoch FROM min(since)) * 1000000)::bigint,
       (extract(epoch FROM min(since) FILTER (WHERE rating_run < $1::bigint)) * 1000000)::bigint
  FROM metering.distinction
 GROUP BY kind, boundary, name
 ORDER BY kind, boundary, name;
