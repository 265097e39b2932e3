-- Records in the batches of a night, by what became of them; manifest_ranges.sql says which these are.
-- $1 bigint night run
WITH night AS (
	SELECT r.at, (SELECT max(b.at) FROM finance.night_run b WHERE b.at < r.at) AS before, (u.result::json ->> 'rating_run')::bigint AS rating_run
	  FROM finance.night_run r LEFT JOIN finance.night_unit u ON u.night_run = r.night_run AND u.step = 'rate' AND u.unit = 'run' AND u.is_done
	 WHERE r.night_run = $1::bigint
), batch AS (
	SELECT b.* FROM night n
	  JOIN metering.summed_batch s USING (rating_run)
	  JOIN metering.ingest_batch b USING (batch_id)
	UNION ALL
	SELECT b.* FROM night n
	  JOIN metering.ingest_batch b ON b.ledger_rows = 0 AND b.appended_at <= n.at AND b.appended_at > COALESCE(n.before, '-infinity')
)
SELECT COALESCE(sum(records), 0), COALESCE(sum(accepted), 0), COALESCE(sum(duplicates), 0), COALESCE(sum(ignored), 0),
       COALESCE(sum(quarantined), 0), COALESCE(sum(rejected), 0), COALESCE(sum(ledger_rows), 0),
       to_char(min(first_event_time), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), to_char(max(last_event_time), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
  FROM batch;
