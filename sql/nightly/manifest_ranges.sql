-- Ranges of partitions in the batches of a night: those that its rating summed, whoever booked them, and those since the night before that have
-- nothing to rate.
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
), range AS (
	SELECT g.*, lag(g.next_offset) OVER w IS DISTINCT FROM g.first_offset AS begins
	  FROM batch JOIN metering.batch_range g USING (batch_id)
	WINDOW w AS (PARTITION BY g.partition_id ORDER BY g.first_offset)
), part AS (
	SELECT *, count(*) FILTER (WHERE begins) OVER (PARTITION BY partition_id ORDER BY first_offset) AS part FROM range
)
SELECT p.cluster, p.topic, p.partition, min(g.first_offset), max(g.next_offset), sum(g.records)
  FROM part g JOIN metering.kafka_partition p USING (partition_id)
 GROUP BY p.cluster, p.topic, p.partition, p.partition_id, g.part
 ORDER BY p.cluster COLLATE "C", p.topic COLLATE "C", p.partition, min(g.first_offset), max(g.next_offset);
