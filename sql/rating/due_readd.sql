-- Marks every period of tenants that got their first contract since their usage was first rated; which month an interval lies in,
-- due_add.sql explains.
-- $1 bigint the newest contract that counts
INSERT INTO finance.rating_due (tenant, period)
SELECT DISTINCT l.tenant, to_char(CASE WHEN l.interval_start < l.month AT TIME ZONE l.zone THEN l.month - interval '1 month' ELSE l.month END, 'YYYY-MM')
  FROM (SELECT s.tenant, i.interval_start, c.zone, date_trunc('month', i.interval_start AT TIME ZONE c.zone) AS month
          FROM (SELECT DISTINCT tenant FROM finance.billing_period WHERE provisional) p
          JOIN (SELECT DISTINCT ON (tenant) tenant, zone FROM finance.contract WHERE contract_id <= $1::bigint
                 ORDER BY tenant, effective) c ON c.tenant = p.tenant
          JOIN metering.usage_series s ON s.tenant = p.tenant
          JOIN metering.interval_quantity i ON i.series_id = s.series_id) l
ON CONFLICT DO NOTHING;
