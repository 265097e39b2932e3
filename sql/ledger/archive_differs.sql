-- How many sums by series, interval and meter of a month are not those that rating has: all parts of the month that are out of the ledger, and
-- the one that is being written, which has all rows that the ledger has.
-- $1 date the month
-- $2 bigint the archive that is being written
SELECT count(*)
  FROM (SELECT q.series_id, q.interval_start, q.meter_id, sum(q.quantity) AS quantity
          FROM metering.archived_quantity q
         WHERE q.archive_id = $2::bigint OR q.archive_id IN (SELECT o.archive_id FROM metering.archive_out o WHERE o.month = $1::date)
         GROUP BY 1, 2, 3) a
  FULL JOIN (SELECT series_id, interval_start, meter_id, sum(quantity) AS quantity
               FROM metering.interval_quantity
              WHERE interval_start >= $1::timestamp AT TIME ZONE 'UTC' AND interval_start < ($1::date + interval '1 month') AT TIME ZONE 'UTC'
              GROUP BY 1, 2, 3) i USING (series_id, interval_start, meter_id)
 WHERE COALESCE(a.quantity, 0) <> COALESCE(i.quantity, 0);
