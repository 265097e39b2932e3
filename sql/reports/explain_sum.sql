-- How many intervals a line's usage lies in, and its sum.
-- $1 text tenant
-- $2 text model
-- $3 text service tier
-- $4 smallint meter
-- $5 timestamptz start of the period
-- $6 timestamptz its end, not included
-- $7 bigint the newest run whose increments count
-- $8 bigint not used: the same parameters serve three queries
SELECT count(DISTINCT i.interval_start), COALESCE(sum(i.quantity), 0)
  FROM metering.usage_series s
  JOIN metering.interval_quantity i USING (series_id)
 WHERE s.tenant = $1::text AND s.model = $2::text AND s.service_tier = $3::text AND i.meter_id = $4::smallint
   AND i.interval_start >= $5::timestamptz AND i.interval_start < $6::timestamptz AND i.rating_run <= $7::bigint AND $8::bigint = 0;
