-- What waits: usage that is not rated, records in quarantine, tenants that are parked.
WITH unsummed AS (
	SELECT COALESCE(sum(b.ledger_rows), 0) AS rows, count(*) AS batches, min(b.first_event_time) AS oldest FROM metering.ingest_batch b
	 WHERE b.ledger_rows > 0 AND NOT EXISTS (SELECT FROM metering.summed_batch s WHERE s.batch_id = b.batch_id)
), quarantine AS (
	SELECT count(*) AS records, min(b.appended_at) AS oldest
	  FROM metering.quarantine q JOIN metering.ingest_batch b USING (batch_id)
	 WHERE NOT EXISTS (SELECT FROM metering.quarantine_resolution r WHERE r.quarantine_id = q.quarantine_id)
), parked AS (
	SELECT reason, count(*) AS parked, min(parked_at) AS oldest FROM finance.parked_now GROUP BY reason
)
SELECT kind, fact, label, value
  FROM (SELECT 1 AS place, 'unrated' AS kind, 'ledger_rows' AS fact, '' AS label, rows::text AS value FROM unsummed
        UNION ALL SELECT 2, 'unrated', 'batches', '', batches::text FROM unsummed
        UNION ALL SELECT 3, 'unrated', 'tenant_periods', '', count(*)::text FROM finance.rating_due
        UNION ALL SELECT 4, 'unrated', 'oldest', '', (extract(epoch FROM oldest) * 1000000)::bigint::text FROM unsummed
        UNION ALL SELECT 5, 'quarantine', 'waiting', '', records::text FROM quarantine
        UNION ALL SELECT 6, 'quarantine', 'oldest', '', (extract(epoch FROM oldest) * 1000000)::bigint::text FROM quarantine
        UNION ALL SELECT 7, 'parked', 'waiting', '', COALESCE(sum(parked), 0)::text FROM parked
        UNION ALL SELECT 8, 'parked', 'oldest', '', (extract(epoch FROM min(oldest)) * 1000000)::bigint::text FROM parked
        UNION ALL SELECT 9, 'parked', 'reason', reason, parked::text FROM parked) x
 ORDER BY place, label COLLATE "C";
