-- Archived months with usage of a tenant in a stretch of time, with how many rows of it.
-- $1 text tenant
-- $2 timestamptz from
-- $3 timestamptz to, not included
SELECT to_char(o.month, 'YYYY-MM'), sum(i.rows), (SELECT string_agg(p.file, ', ' ORDER BY p.part) FROM metering.archive_out p WHERE p.month = o.month)
  FROM metering.archive_out o
  JOIN metering.archived_interval i USING (archive_id)
  JOIN metering.usage_series s USING (series_id)
 WHERE s.tenant = $1::text AND i.interval_start >= $2::timestamptz AND i.interval_start < $3::timestamptz
   AND o.month::timestamp AT TIME ZONE 'UTC' < $3::timestamptz AND (o.month + interval '1 month') AT TIME ZONE 'UTC' > $2::timestamptz
 GROUP BY o.month
 ORDER BY o.month;
