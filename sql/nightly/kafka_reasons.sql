-- Why records of a topic were set aside in a night for the first time, by code.
-- $1 text cluster and topic, with a slash between them
-- $2 timestamptz the night's instant
-- $3 text by whom
SELECT q.code, count(*)
  FROM metering.source_position s JOIN metering.ingest_batch b USING (position_id) JOIN metering.quarantine q USING (batch_id)
 WHERE s.kind = 'kafka' AND s.name = $1::text AND s.opened_at = $2::timestamptz AND s.opened_by = $3::text
 GROUP BY q.code ORDER BY q.code COLLATE "C";
