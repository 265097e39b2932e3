-- Marks every period of tenants that got their first contract since their usage was first rated.
-- $1 bigint the newest contract that counts
INSERT INTO finance.rating_due (tenant, period)
SELECT DISTINCT l.tenant, to_char(finance.period_month(l.interval_start, l.anchor, l.zone), 'YYYY-MM')
  FROM (SELECT s.tenant, i.interval_start, c.zone, c.anchor
          FROM (SELECT DISTINCT tenant FROM finance.billing_period WHERE provisional) p
          JOIN (SELECT DISTINCT ON (tenant) tenant, zone, anchor FROM finance.contract WHERE contract_id <= $1::bigint
                 ORDER BY tenant, effective) c ON c.tenant = p.tenant
          JOIN metering.usage_series s ON s.tenant = p.tenant
          JOIN metering.interval_quantity i ON i.series_id = s.series_id) l
ON CONFLICT DO NOTHING;
