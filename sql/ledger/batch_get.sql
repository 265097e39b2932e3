-- What a batch counted; no row where it is not booked.
-- $1 bigint batch
SELECT records, accepted, duplicates, restamped, ignored, quarantined, rejected, set_aside_before, ledger_rows
  FROM metering.ingest_batch WHERE batch_id = $1::bigint;
