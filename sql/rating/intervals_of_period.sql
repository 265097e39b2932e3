-- The usage of a tenant in a period, in the order that tiers count: by time, then by name.
-- $1 text tenant
-- $2 timestamptz start
-- $3 timestamptz end, not included
-- $4 bigint the newest run whose increments count
-- $5 bigint the run after which increments count
WITH hot AS (
	SELECT i.interval_start, s.model, s.base_model, s.service_tier,
	       sum(i.requests) AS m1, sum(i.input_text_uncached_tokens) AS m2, sum(i.input_text_cache_read_tokens) AS m3,
	       sum(i.input_text_cache_write_5m_tokens) AS m4, sum(i.input_text_cache_write_1h_tokens) AS m5,
	       sum(i.output_text_tokens) AS m6, sum(i.output_reasoning_tokens) AS m7
	  FROM metering.usage_series s
	  JOIN metering.usage_interval i USING (series_id)
	 WHERE s.tenant = $1::text AND i.interval_start >= $2::timestamptz AND i.interval_start < $3::timestamptz
	   AND i.rating_run <= $4::bigint AND i.rating_run > $5::bigint
	 GROUP BY i.interval_start, s.model, s.base_model, s.service_tier
), other AS (
	SELECT i.interval_start, s.model, s.base_model, s.service_tier, i.meter_id, sum(i.quantity) AS quantity
	  FROM metering.usage_series s
	  JOIN metering.usage_interval_extra i USING (series_id)
	 WHERE s.tenant = $1::text AND i.interval_start >= $2::timestamptz AND i.interval_start < $3::timestamptz
	   AND i.rating_run <= $4::bigint AND i.rating_run > $5::bigint
	 GROUP BY i.interval_start, s.model, s.base_model, s.service_tier, i.meter_id
)
SELECT (extract(epoch FROM interval_start) * 1000000)::bigint, model, base_model, service_tier, meter_id, quantity
  FROM (
	SELECT h.interval_start, h.model, h.base_model, h.service_tier, q.meter_id, q.quantity
	  FROM hot h
	 CROSS JOIN LATERAL (VALUES (1, m1), (2, m2), (3, m3), (4, m4), (5, m5), (6, m6), (7, m7)) AS q (meter_id, quantity)
	UNION ALL
	SELECT * FROM other
  ) AS usage
 WHERE quantity <> 0
 ORDER BY interval_start, model, base_model, service_tier, meter_id;
