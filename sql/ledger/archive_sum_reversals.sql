-- Notes the corrections and voids whose reversals are among the rows that the ledger has of a month.
-- $1 bigint archive
-- $2 timestamptz the month's start
-- $3 timestamptz its end
INSERT INTO metering.archived_reversal (archive_id, event_id, batch_id)
SELECT $1::bigint, event_id, batch_id
  FROM metering.usage_event
 WHERE kind = 2 AND event_time >= $2::timestamptz AND event_time < $3::timestamptz;
