-- Archived months with usage from an instant on.
-- $1 timestamptz since when
SELECT to_char(o.month, 'YYYY-MM'), sum(o.rows), string_agg(o.file, ', ' ORDER BY o.part)
  FROM metering.archive_out o
 WHERE (o.month + interval '1 month') AT TIME ZONE 'UTC' > $1::timestamptz
 GROUP BY o.month
 ORDER BY o.month;
