-- Marks the periods that a run's intervals fall in; months are counted in the tenant's zone, in UTC without a contract.
-- $1 bigint run
INSERT INTO finance.rating_due (tenant, period)
SELECT DISTINCT s.tenant, to_char(i.interval_start AT TIME ZONE COALESCE(c.zone, 'UTC'), 'YYYY-MM')
  FROM (SELECT series_id, interval_start FROM metering.usage_interval WHERE rating_run = $1::bigint
        UNION SELECT series_id, interval_start FROM metering.usage_interval_extra WHERE rating_run = $1::bigint) i
  JOIN metering.usage_series s USING (series_id)
  LEFT JOIN (SELECT DISTINCT ON (tenant) tenant, zone FROM finance.contract ORDER BY tenant, effective) c ON c.tenant = s.tenant
ON CONFLICT DO NOTHING;
