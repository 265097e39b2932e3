-- What a night has booked of a topic: whether it has read it to its end, batches, records, accepted, duplicates, restamped, ignored,
-- quarantined, rejected, and those of them set aside before.
-- $1 text cluster and topic, with a slash between them
-- $2 timestamptz the night's instant
-- $3 text by whom
SELECT COALESCE(bool_or(s.finished_at IS NOT NULL), false), count(b.batch_id), COALESCE(sum(b.records), 0)::bigint,
       COALESCE(sum(b.accepted), 0)::bigint, COALESCE(sum(b.duplicates), 0)::bigint, COALESCE(sum(b.restamped), 0)::bigint,
       COALESCE(sum(b.ignored), 0)::bigint, COALESCE(sum(b.quarantined), 0)::bigint, COALESCE(sum(b.rejected), 0)::bigint,
       COALESCE(sum(b.set_aside_before), 0)::bigint
  FROM metering.source_position s LEFT JOIN metering.ingest_batch b USING (position_id)
 WHERE s.kind = 'kafka' AND s.name = $1::text AND s.opened_at = $2::timestamptz AND s.opened_by = $3::text;
