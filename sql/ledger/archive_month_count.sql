-- How many rows the ledger has of a month; how many of them are of batches that no part of the month has; and how many its attached parts have.
-- $1 date the month
SELECT count(*), count(*) FILTER (WHERE e.batch_id IN (SELECT metering.late_batches($1::date))),
       (SELECT COALESCE(sum(a.rows), 0)::bigint FROM metering.archive a
         WHERE a.month = $1::date AND NOT EXISTS (SELECT FROM metering.archive_out o WHERE o.archive_id = a.archive_id))
  FROM metering.usage_event e
 WHERE e.event_time >= $1::timestamp AT TIME ZONE 'UTC' AND e.event_time < ($1::date + interval '1 month') AT TIME ZONE 'UTC';
