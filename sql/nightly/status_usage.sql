-- What usage is in, until when, and from how many places.
WITH batch AS (
	SELECT count(*) AS batches, COALESCE(sum(records), 0) AS records, COALESCE(sum(accepted), 0) AS accepted,
	       COALESCE(sum(duplicates), 0) AS duplicates, COALESCE(sum(ignored), 0) AS ignored,
	       COALESCE(sum(quarantined), 0) AS quarantined, COALESCE(sum(rejected), 0) AS rejected,
	       min(first_event_time) AS first_time, max(last_event_time) AS last_time, max(appended_at) AS appended_at
	  FROM metering.ingest_batch
), source AS (
	SELECT count(*) AS read, count(*) FILTER (WHERE finished_at IS NULL) AS unfinished FROM metering.source_position WHERE kind <> 'kafka'
), partition AS (
	SELECT count(*) AS partitions, COALESCE(sum(greatest(end_offset - clear_offset, 0)), 0) AS behind FROM metering.kafka_partition WHERE closed_at IS NULL
)
SELECT 'usage', x.fact, '', x.value
  FROM batch b
 CROSS JOIN source s
 CROSS JOIN partition p
 CROSS JOIN LATERAL (VALUES
	(1, 'from', (extract(epoch FROM b.first_time) * 1000000)::bigint::text),
	(2, 'until', (extract(epoch FROM b.last_time) * 1000000)::bigint::text),
	(3, 'last_batch', (extract(epoch FROM b.appended_at) * 1000000)::bigint::text),
	(4, 'batches', b.batches::text),
	(5, 'records', b.records::text),
	(6, 'accepted', b.accepted::text),
	(7, 'duplicates', b.duplicates::text),
	(8, 'ignored', b.ignored::text),
	(9, 'quarantined', b.quarantined::text),
	(10, 'rejected', b.rejected::text),
	(11, 'sources_read', s.read::text),
	(12, 'sources_unfinished', s.unfinished::text),
	(13, 'kafka_partitions', p.partitions::text),
	(14, 'kafka_behind', p.behind::text),
	(15, 'kafka_incidents', (SELECT count(DISTINCT i.partition_id) FROM metering.kafka_incident i
		JOIN metering.kafka_partition o USING (partition_id) WHERE o.closed_at IS NULL)::text)) AS x (place, fact, value)
 ORDER BY x.place;
