-- Marks the periods that a run's intervals fall in: the one whose borders are settled around it, else the one that finance.period_month()
-- names in the tenant's zone, in UTC and by months without a contract.
-- $1 bigint run
-- $2 bigint the newest contract that counts
INSERT INTO finance.rating_due (tenant, period)
SELECT DISTINCT t.tenant,
       COALESCE(p.period, to_char(finance.period_month(t.interval_start, COALESCE(c.anchor, 1::smallint), COALESCE(c.zone, 'UTC')), 'YYYY-MM'))
  FROM (SELECT DISTINCT s.tenant, i.interval_start
          FROM (SELECT series_id, interval_start FROM metering.usage_interval WHERE rating_run = $1::bigint
                UNION SELECT series_id, interval_start FROM metering.usage_interval_extra WHERE rating_run = $1::bigint) i
          JOIN metering.usage_series s USING (series_id)) t
  LEFT JOIN (SELECT DISTINCT ON (tenant) tenant, zone, anchor FROM finance.contract WHERE contract_id <= $2::bigint
              ORDER BY tenant, effective) c ON c.tenant = t.tenant
  LEFT JOIN finance.billing_period p ON p.tenant = t.tenant AND t.interval_start >= p.starts AND t.interval_start < p.ends
ON CONFLICT DO NOTHING;
