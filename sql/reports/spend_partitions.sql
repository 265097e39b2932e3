-- Of each Kafka partition the offset below which every record is in batches that are summed, or brought nothing to sum.
SELECT k.cluster, k.topic, k.partition, COALESCE(w.first_offset, k.clear_offset)
  FROM metering.kafka_partition k
  LEFT JOIN (SELECT r.partition_id, min(r.first_offset) AS first_offset
               FROM metering.ingest_batch b JOIN metering.batch_range r USING (batch_id)
              WHERE b.ledger_rows > 0 AND NOT EXISTS (SELECT FROM metering.summed_batch s WHERE s.batch_id = b.batch_id)
              GROUP BY r.partition_id) w USING (partition_id)
 WHERE k.closed_at IS NULL
 ORDER BY k.cluster COLLATE "C", k.topic COLLATE "C", k.partition;
