-- What the rating of a period does not know yet, within a scope: tenants whose period is due, and those with usage that no run has summed.
-- $1 text period
-- $2 text tenant, '' for all
WITH used AS MATERIALIZED (
	SELECT DISTINCT e.series_id, date_bin('15 minutes', e.event_time, '2000-01-01 00:00:00+00') AS starts
	  FROM metering.usage_event e
	 WHERE e.batch_id IN (
		SELECT b.batch_id FROM metering.ingest_batch b
		 WHERE b.ledger_rows > 0 AND NOT EXISTS (SELECT FROM metering.summed_batch m WHERE m.batch_id = b.batch_id))
	   -- A period begins on a day of its month, and ends on one of the next month, each at most 14 hours away from its place in UTC; this is
	   -- for the partitions of the ledger.
	   AND e.event_time >= ($1::text || '-01T00:00:00Z')::timestamptz - interval '1 day'
	   AND e.event_time < ($1::text || '-01T00:00:00Z')::timestamptz + interval '62 days'
)
SELECT d.tenant
  FROM finance.rating_due d
 WHERE d.period = $1::text AND ($2::text = '' OR d.tenant = $2::text)
UNION
SELECT p.tenant
  FROM used u
  JOIN metering.usage_series s ON s.series_id = u.series_id
  JOIN finance.billing_period p ON p.tenant = s.tenant AND u.starts >= p.starts AND u.starts < p.ends
 WHERE p.period = $1::text AND ($2::text = '' OR p.tenant = $2::text)
 ORDER BY 1;
