-- What came for a period after a run, by time and name.
-- $1 text tenant
-- $2 timestamptz start
-- $3 timestamptz end, not included
-- $4 bigint the newest run whose increments count
-- $5 bigint the run after which increments count
SELECT (extract(epoch FROM i.interval_start) * 1000000)::bigint, s.model, s.service_tier, i.meter_id, sum(i.quantity)
  FROM metering.usage_series s
  JOIN metering.interval_quantity i USING (series_id)
 WHERE s.tenant = $1::text AND i.interval_start >= $2::timestamptz AND i.interval_start < $3::timestamptz
   AND i.rating_run <= $4::bigint AND i.rating_run > $5::bigint
 GROUP BY i.interval_start, s.model, s.service_tier, i.meter_id
HAVING sum(i.quantity) <> 0
 ORDER BY i.interval_start, s.model, s.service_tier, i.meter_id;
