-- Up to where the ledger is rated: the newest run, the batches summed, the newest of them, the latest usage in them; and the batches
-- that wait for a run.
SELECT COALESCE((SELECT max(rating_run) FROM finance.rating_run), 0), count(s.batch_id), COALESCE(max(s.batch_id), 0),
       (extract(epoch FROM max(b.last_event_time) FILTER (WHERE s.batch_id IS NOT NULL)) * 1000000)::bigint,
       count(*) FILTER (WHERE s.batch_id IS NULL AND b.ledger_rows > 0)
  FROM metering.ingest_batch b LEFT JOIN metering.summed_batch s USING (batch_id);
