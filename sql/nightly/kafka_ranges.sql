-- What a night has booked of each partition of a topic: the offsets it stood at before and after, and records.
-- $1 text cluster
-- $2 text topic
-- $3 timestamptz the night's instant
-- $4 text by whom
SELECT k.partition, COALESCE(min(t.first_offset), k.next_offset), COALESCE(max(t.next_offset), k.next_offset),
       COALESCE(sum(t.records), 0)::bigint
  FROM metering.kafka_partition k
  LEFT JOIN (SELECT r.partition_id, r.first_offset, r.next_offset, r.records
               FROM metering.source_position s JOIN metering.ingest_batch b USING (position_id) JOIN metering.batch_range r USING (batch_id)
              WHERE s.kind = 'kafka' AND s.name = $1::text || '/' || $2::text AND s.opened_at = $3::timestamptz AND s.opened_by = $4::text) t
       USING (partition_id)
 WHERE k.cluster = $1::text AND k.topic = $2::text AND k.closed_at IS NULL
 GROUP BY k.partition_id ORDER BY k.partition;
