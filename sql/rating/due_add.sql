-- Marks the periods that a run's intervals fall in: the one whose borders are settled around it, else the month of its local time,
-- in the tenant's zone, in UTC without a contract.  Where clocks go back over midnight of the first (America/Havana, 1 November
-- 2026), the local time is in the new month an hour before that month begins.
-- $1 bigint run
-- $2 bigint the newest contract that counts
INSERT INTO finance.rating_due (tenant, period)
SELECT DISTINCT l.tenant,
       COALESCE(p.period, to_char(CASE WHEN l.interval_start < l.month AT TIME ZONE l.zone THEN l.month - interval '1 month' ELSE l.month END, 'YYYY-MM'))
  FROM (SELECT t.tenant, t.interval_start, COALESCE(c.zone, 'UTC') AS zone,
               date_trunc('month', t.interval_start AT TIME ZONE COALESCE(c.zone, 'UTC')) AS month
          FROM (SELECT DISTINCT s.tenant, i.interval_start
                  FROM (SELECT series_id, interval_start FROM metering.usage_interval WHERE rating_run = $1::bigint
                        UNION SELECT series_id, interval_start FROM metering.usage_interval_extra WHERE rating_run = $1::bigint) i
                  JOIN metering.usage_series s USING (series_id)) t
          LEFT JOIN (SELECT DISTINCT ON (tenant) tenant, zone FROM finance.contract WHERE contract_id <= $2::bigint
                      ORDER BY tenant, effective) c ON c.tenant = t.tenant) l
  LEFT JOIN finance.billing_period p ON p.tenant = l.tenant AND l.interval_start >= p.starts AND l.interval_start < p.ends
ON CONFLICT DO NOTHING;
