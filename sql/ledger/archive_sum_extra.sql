-- The same of the meters that have no column.
-- $1 bigint archive
-- $2 timestamptz the month's start
-- $3 timestamptz its end
INSERT INTO metering.archived_interval_extra (archive_id, series_id, interval_start, meter_id, quantity)
SELECT $1::bigint, e.series_id, date_bin('15 minutes', e.event_time, 'epoch'), e.extra[i]::smallint, sum(e.extra[i + 1])
  FROM metering.usage_event e
 CROSS JOIN LATERAL generate_series(1, cardinality(e.extra), 2) AS i
 WHERE e.extra IS NOT NULL AND e.event_time >= $2::timestamptz AND e.event_time < $3::timestamptz
 GROUP BY 2, 3, 4;
