-- How many intervals a line's usage lies in, its sum, and the quantity of all charges and holds of its rating on the same usage.
-- $1 text tenant
-- $2 text model
-- $3 text service tier
-- $4 smallint meter
-- $5 timestamptz start of the period
-- $6 timestamptz its end, not included
-- $7 bigint the newest run whose increments count
-- $8 bigint rating
SELECT count(DISTINCT i.interval_start), COALESCE(sum(i.quantity), 0),
       (SELECT COALESCE(sum(quantity), 0) FROM finance.charge h
         WHERE h.rating_id = $8::bigint AND h.model = $2::text AND h.service_tier = $3::text AND h.meter_id = $4::smallint)
     + (SELECT COALESCE(sum(quantity), 0) FROM finance.hold h
         WHERE h.rating_id = $8::bigint AND h.model = $2::text AND h.service_tier = $3::text AND h.meter_id = $4::smallint)
  FROM metering.usage_series s
  JOIN metering.interval_quantity i USING (series_id)
 WHERE s.tenant = $1::text AND s.model = $2::text AND s.service_tier = $3::text AND i.meter_id = $4::smallint
   AND i.interval_start >= $5::timestamptz AND i.interval_start < $6::timestamptz AND i.rating_run <= $7::bigint;
