-- What the rating of a period does not know yet, within a scope: tenants whose period is due, and those with usage that no run has summed.
-- $1 text period
-- $2 text tenant, '' for all
SELECT d.tenant
  FROM finance.rating_due d
 WHERE d.period = $1::text AND ($2::text = '' OR d.tenant = $2::text)
UNION
SELECT p.tenant
  FROM metering.ingest_batch b
  JOIN metering.usage_event e ON e.batch_id = b.batch_id
  JOIN metering.usage_series s ON s.series_id = e.series_id
  JOIN finance.billing_period p ON p.tenant = s.tenant AND e.event_time >= p.starts AND e.event_time < p.ends
 WHERE b.ledger_rows > 0 AND NOT EXISTS (SELECT FROM metering.summed_batch m WHERE m.batch_id = b.batch_id)
   AND p.period = $1::text AND ($2::text = '' OR p.tenant = $2::text)
   -- A period begins on a day of its month, and ends on one of the next month, each at most 14 hours away from its place in UTC; this is
   -- for the partitions of the ledger.
   AND e.event_time >= ($1::text || '-01T00:00:00Z')::timestamptz - interval '1 day'
   AND e.event_time < ($1::text || '-01T00:00:00Z')::timestamptz + interval '62 days'
 ORDER BY 1;
