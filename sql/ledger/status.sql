-- The one screen: what is in, until when, and what waits.
WITH batch AS (
	SELECT count(*) AS batches, COALESCE(sum(records), 0) AS records, COALESCE(sum(accepted), 0) AS accepted,
	       COALESCE(sum(duplicates), 0) AS duplicates, COALESCE(sum(ignored), 0) AS ignored,
	       COALESCE(sum(quarantined), 0) AS quarantined, COALESCE(sum(rejected), 0) AS rejected,
	       min(first_event_time) AS first_time, max(last_event_time) AS last_time, max(appended_at) AS appended_at
	  FROM metering.ingest_batch
), unsummed AS (
	SELECT COALESCE(sum(b.ledger_rows), 0) AS rows, count(*) AS batches FROM metering.ingest_batch b
	 WHERE b.ledger_rows > 0 AND NOT EXISTS (SELECT FROM metering.summed_batch s WHERE s.batch_id = b.batch_id)
)
SELECT fact, value FROM (
	SELECT 1 AS place, 'records read' AS fact, records::text AS value FROM batch
	UNION ALL SELECT 2, 'accepted', accepted::text FROM batch
	UNION ALL SELECT 3, 'duplicates', duplicates::text FROM batch
	UNION ALL SELECT 4, 'ignored', ignored::text FROM batch
	UNION ALL SELECT 5, 'quarantined', quarantined::text FROM batch
	UNION ALL SELECT 6, 'rejected', rejected::text FROM batch
	UNION ALL SELECT 7, 'usage from', COALESCE(to_char(first_time, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '-') FROM batch
	UNION ALL SELECT 8, 'usage until', COALESCE(to_char(last_time, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '-') FROM batch
	UNION ALL SELECT 9, 'last batch appended', COALESCE(to_char(appended_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '-') FROM batch
	UNION ALL SELECT 10, 'batches', batches::text FROM batch
	UNION ALL SELECT 11, 'sources read', count(*)::text || CASE WHEN count(*) FILTER (WHERE finished_at IS NULL) > 0
		THEN ' (' || count(*) FILTER (WHERE finished_at IS NULL) || ' not to the end)' ELSE '' END FROM metering.source_position WHERE kind <> 'kafka'
	UNION ALL SELECT 11, 'Kafka partitions', count(*)::text || CASE WHEN count(*) > 0 THEN ' (' || sum(greatest(end_offset - clear_offset, 0)) ||
		' records behind as last seen)' ELSE '' END FROM metering.kafka_partition WHERE closed_at IS NULL
	UNION ALL SELECT 11, 'Kafka incidents', count(DISTINCT i.partition_id)::text FROM metering.kafka_incident i
		JOIN metering.kafka_partition p USING (partition_id) WHERE p.closed_at IS NULL
	UNION ALL SELECT 12, 'waiting in quarantine', count(*)::text FROM metering.quarantine q
		WHERE NOT EXISTS (SELECT FROM metering.quarantine_resolution r WHERE r.quarantine_id = q.quarantine_id)
	UNION ALL SELECT 13, 'ledger rows not rated', rows::text || CASE WHEN batches > 0 THEN ' (in ' || batches || ' batches)' ELSE '' END FROM unsummed
	UNION ALL SELECT 14, 'tenant periods to rate', count(*)::text FROM finance.rating_due
	UNION ALL SELECT 15, 'holds', count(*)::text || CASE WHEN count(*) > 0 THEN ' (in ' || count(DISTINCT (r.tenant, r.period)) || ' tenant periods)' ELSE '' END
		FROM finance.rating_in_force r JOIN finance.hold h USING (rating_id)
	UNION ALL SELECT 16, 'drafts', count(*)::text FROM finance.invoice WHERE status = 'draft'
	UNION ALL SELECT 17, 'final invoices', count(*)::text FROM finance.invoice WHERE status = 'final'
	UNION ALL SELECT 18, 'invoices with something due', count(*)::text FROM finance.invoice_standing WHERE due_minor > 0
	UNION ALL SELECT 19, 'adjustments waiting', count(*)::text FROM finance.adjustment_waiting
) AS facts
ORDER BY place, fact DESC;
