-- each partition was read without a gap, and stands where its last batch ends
SELECT p.topic, p.partition, r.batch_id AS batch, 'starts at offset ' || r.first_offset || ', after ' || r.before_offset AS difference
  FROM metering.kafka_partition p
  JOIN (SELECT *, lag(next_offset) OVER (PARTITION BY partition_id ORDER BY first_offset) AS before_offset
          FROM metering.batch_range) r USING (partition_id)
 WHERE r.first_offset <> COALESCE(r.before_offset, p.start_offset)
UNION ALL
SELECT p.topic, p.partition, p.last_batch, 'stands at offset ' || p.next_offset || ' with ' || p.records || ' records, ' || p.duplicates ||
       ' duplicates, ' || p.set_aside || ' set aside; its batches end at ' || COALESCE(r.upto, p.start_offset) || ' with ' ||
       COALESCE(r.records, 0) || ', ' || COALESCE(r.duplicates, 0) || ', ' || COALESCE(r.set_aside, 0)
  FROM metering.kafka_partition p
  LEFT JOIN (SELECT partition_id, max(next_offset) AS upto, sum(records) AS records, sum(duplicates) AS duplicates,
                    sum(quarantined + rejected) AS set_aside FROM metering.batch_range GROUP BY partition_id) r USING (partition_id)
 WHERE (p.next_offset, p.records, p.duplicates, p.set_aside)
       IS DISTINCT FROM (COALESCE(r.upto, p.start_offset), COALESCE(r.records, 0), COALESCE(r.duplicates, 0), COALESCE(r.set_aside, 0));
