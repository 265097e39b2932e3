-- Batches summed before that have events from an instant on, with how many ledger rows each has.
-- $1 timestamptz instant
SELECT b.batch_id, b.ledger_rows
  FROM metering.ingest_batch b
  JOIN metering.summed_batch s USING (batch_id)
 WHERE b.last_event_time >= $1::timestamptz
 ORDER BY b.batch_id;
