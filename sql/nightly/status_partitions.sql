-- Where each partition of a Kafka topic stands, as its consumer saw it last.
-- $1 timestamptz now
SELECT p.topic, p.partition, p.next_offset, p.end_offset,
       greatest(COALESCE(p.stable_offset, p.end_offset) - p.clear_offset, 0) AS behind,
       CASE WHEN p.end_offset > p.clear_offset THEN greatest(floor(extract(epoch FROM $1::timestamptz - p.last_event_time)), 0)::bigint
            WHEN p.end_offset IS NOT NULL THEN 0 END,
       greatest(p.end_offset - p.stable_offset, 0),
       CASE WHEN p.stable_since IS NOT NULL THEN greatest(floor(extract(epoch FROM $1::timestamptz - p.stable_since)), 0)::bigint ELSE 0 END,
       p.records, p.duplicates, p.set_aside, p.last_batch, to_char(b.appended_at, 'YYYY-MM-DD HH24:MI:SS"Z"'),
       to_char(p.seen_at, 'YYYY-MM-DD HH24:MI:SS"Z"'),
       (SELECT i.kind FROM metering.kafka_incident i WHERE i.partition_id = p.partition_id ORDER BY i.incident_id DESC LIMIT 1),
       p.owner
  FROM metering.kafka_partition p
  LEFT JOIN metering.ingest_batch b ON b.batch_id = p.last_batch
 WHERE p.closed_at IS NULL
 ORDER BY p.topic, p.cluster, p.partition;
