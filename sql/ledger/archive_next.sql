-- The number of the next archive and of the next part of a month; its file; where the month begins and ends (microseconds); how many batches
-- may have rows of it in the ledger, with the first and the last of them, and between which instants their rows are.
-- $1 date the month
SELECT (SELECT COALESCE(max(a.archive_id), 0) + 1 FROM metering.archive a), (SELECT COALESCE(max(a.part), 0) + 1 FROM metering.archive a WHERE a.month = $1::date),
       (extract(epoch FROM $1::timestamp AT TIME ZONE 'UTC') * 1000000)::bigint,
       (extract(epoch FROM ($1::date + interval '1 month') AT TIME ZONE 'UTC') * 1000000)::bigint,
       count(*), min(b.batch_id), max(b.batch_id),
       (extract(epoch FROM min(b.first_event_time)) * 1000000)::bigint, (extract(epoch FROM max(b.last_event_time)) * 1000000)::bigint
  FROM metering.late_batches($1::date) l (batch_id)
  JOIN metering.ingest_batch b USING (batch_id);
