-- Marks every period of tenants that got their first contract since their usage was first rated.
INSERT INTO finance.rating_due (tenant, period)
SELECT DISTINCT s.tenant, to_char(i.interval_start AT TIME ZONE c.zone, 'YYYY-MM')
  FROM (SELECT DISTINCT tenant FROM finance.billing_period WHERE provisional) p
  JOIN (SELECT DISTINCT ON (tenant) tenant, zone FROM finance.contract ORDER BY tenant, effective) c ON c.tenant = p.tenant
  JOIN metering.usage_series s ON s.tenant = p.tenant
  JOIN metering.interval_quantity i ON i.series_id = s.series_id
ON CONFLICT DO NOTHING;
