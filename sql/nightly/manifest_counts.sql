-- Records in the batches that a night accounts for, by what became of them.
-- $1 bigint night run
SELECT COALESCE(sum(records), 0), COALESCE(sum(accepted), 0), COALESCE(sum(duplicates), 0), COALESCE(sum(ignored), 0),
       COALESCE(sum(quarantined), 0), COALESCE(sum(rejected), 0), COALESCE(sum(ledger_rows), 0),
       to_char(min(first_event_time), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), to_char(max(last_event_time), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
  FROM finance.night_batch n JOIN metering.ingest_batch b USING (batch_id) WHERE n.night_run = $1::bigint;
