-- The intervals of a line's usage, by time, with the running total that tiers count.
-- $1 text tenant
-- $2 text model
-- $3 text service tier
-- $4 smallint meter
-- $5 timestamptz start of the period
-- $6 timestamptz its end, not included
-- $7 bigint the newest run whose increments count
-- $8 bigint at most so many
SELECT to_char(i.interval_start, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), trim_scale(sum(i.quantity) * 10::numeric ^ -m.decimals),
       trim_scale(sum(sum(i.quantity)) OVER (ORDER BY i.interval_start) * 10::numeric ^ -m.decimals)
  FROM metering.usage_series s
  JOIN metering.interval_quantity i USING (series_id)
  JOIN metering.meter m USING (meter_id)
 WHERE s.tenant = $1::text AND s.model = $2::text AND s.service_tier = $3::text AND i.meter_id = $4::smallint
   AND i.interval_start >= $5::timestamptz AND i.interval_start < $6::timestamptz AND i.rating_run <= $7::bigint
 GROUP BY i.interval_start, m.decimals
 ORDER BY i.interval_start
 LIMIT $8::bigint;
