-- Ranges of partitions in the batches that a night accounts for.
-- $1 bigint night run
WITH range AS (
	SELECT g.*, lag(g.next_offset) OVER w IS DISTINCT FROM g.first_offset AS begins
	  FROM finance.night_batch n JOIN metering.batch_range g USING (batch_id)
	 WHERE n.night_run = $1::bigint
	WINDOW w AS (PARTITION BY g.partition_id ORDER BY g.first_offset)
), part AS (
	SELECT *, count(*) FILTER (WHERE begins) OVER (PARTITION BY partition_id ORDER BY first_offset) AS part FROM range
)
SELECT p.cluster, p.topic, p.partition, min(g.first_offset), max(g.next_offset), sum(g.records)
  FROM part g JOIN metering.kafka_partition p USING (partition_id)
 GROUP BY p.cluster, p.topic, p.partition, p.partition_id, g.part
 ORDER BY p.cluster COLLATE "C", p.topic COLLATE "C", p.partition, min(g.first_offset), max(g.next_offset);
