-- The usage of tenants in periods, each in the order that tiers count: by time, then by name, then by class of request.  Fields
-- that no price asks for are not told apart.
-- $1 text[] tenants
-- $2 timestamptz[] starts
-- $3 timestamptz[] ends, not included
-- $4 bigint[] the newest run whose increments count
-- $5 integer[] fields to tell apart, a bit each, see rating/match_fields.def
WITH periods AS (
	SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::bigint[], $5::integer[])
	  WITH ORDINALITY AS p (tenant, starts, ends, until, fields, place)
), hot AS (
	SELECT p.place, i.interval_start, s.model, s.base_model, s.service_tier,
	       CASE WHEN p.fields & 8 <> 0 THEN s.adapter_kind ELSE '' END AS adapter_kind,
	       CASE WHEN p.fields & 16 <> 0 THEN s.adapter ELSE '' END AS adapter,
	       CASE WHEN p.fields & 32 <> 0 THEN s.provider ELSE '' END AS provider,
	       CASE WHEN p.fields & 64 <> 0 THEN s.operation ELSE '' END AS operation,
	       CASE WHEN p.fields & 128 <> 0 THEN s.region ELSE '' END AS region,
	       CASE WHEN p.fields & 256 <> 0 THEN s.speed ELSE '' END AS speed,
	       CASE WHEN p.fields & 512 <> 0 THEN s.deployment ELSE '' END AS deployment,
	       CASE WHEN p.fields & 1024 <> 0 THEN s.project ELSE '' END AS project,
	       CASE WHEN p.fields & 2048 <> 0 THEN s.api_key ELSE '' END AS api_key, i.class_id,
	       sum(i.requests) AS m1,
	       sum(i.input_text_uncached_tokens) AS m2,
	       sum(i.input_text_cache_read_tokens) AS m3,
	       sum(i.input_text_cache_write_5m_tokens) AS m4,
	       sum(i.input_text_cache_write_1h_tokens) AS m5,
	       sum(i.output_text_tokens) AS m6,
	       sum(i.output_reasoning_tokens) AS m7
	  FROM periods p
	  JOIN metering.usage_series s ON s.tenant = p.tenant
	  JOIN metering.usage_interval i ON i.series_id = s.series_id AND i.interval_start >= p.starts AND i.interval_start < p.ends
	   AND i.rating_run <= p.until
	 GROUP BY p.place, i.interval_start, s.model, s.base_model, s.service_tier, 6, 7, 8, 9, 10, 11, 12, 13, 14, i.class_id
), other AS (
	SELECT p.place, i.interval_start, s.model, s.base_model, s.service_tier,
	       CASE WHEN p.fields & 8 <> 0 THEN s.adapter_kind ELSE '' END AS adapter_kind,
	       CASE WHEN p.fields & 16 <> 0 THEN s.adapter ELSE '' END AS adapter,
	       CASE WHEN p.fields & 32 <> 0 THEN s.provider ELSE '' END AS provider,
	       CASE WHEN p.fields & 64 <> 0 THEN s.operation ELSE '' END AS operation,
	       CASE WHEN p.fields & 128 <> 0 THEN s.region ELSE '' END AS region,
	       CASE WHEN p.fields & 256 <> 0 THEN s.speed ELSE '' END AS speed,
	       CASE WHEN p.fields & 512 <> 0 THEN s.deployment ELSE '' END AS deployment,
	       CASE WHEN p.fields & 1024 <> 0 THEN s.project ELSE '' END AS project,
	       CASE WHEN p.fields & 2048 <> 0 THEN s.api_key ELSE '' END AS api_key, i.class_id,
	       i.meter_id, sum(i.quantity) AS quantity
	  FROM periods p
	  JOIN metering.usage_series s ON s.tenant = p.tenant
	  JOIN metering.usage_interval_extra i ON i.series_id = s.series_id AND i.interval_start >= p.starts AND i.interval_start < p.ends
	   AND i.rating_run <= p.until
	 GROUP BY p.place, i.interval_start, s.model, s.base_model, s.service_tier, 6, 7, 8, 9, 10, 11, 12, 13, 14, i.class_id, i.meter_id
)
SELECT place, (extract(epoch FROM interval_start) * 1000000)::bigint, model, base_model, service_tier, adapter_kind, adapter, provider, operation, region, speed, deployment, project, api_key,
       c.engine, CASE WHEN c.tags = '{}' THEN '' ELSE c.tags END, c.input_from, c.uncached_from, c.output_from, c.part_from, meter_id, quantity
  FROM (
	SELECT h.place, h.interval_start, h.model, h.base_model, h.service_tier, h.adapter_kind, h.adapter, h.provider, h.operation, h.region, h.speed, h.deployment, h.project, h.api_key,
	       h.class_id, q.meter_id, q.quantity
	  FROM hot h
	 CROSS JOIN LATERAL (VALUES (1, m1), (2, m2), (3, m3), (4, m4), (5, m5), (6, m6), (7, m7)) AS q (meter_id, quantity)
	UNION ALL
	SELECT * FROM other
  ) AS usage
  JOIN metering.request_class c USING (class_id)
 WHERE quantity <> 0
 ORDER BY place, interval_start, model, base_model, service_tier, adapter_kind, adapter, provider, operation, region, speed, deployment, project, api_key,
       input_from, uncached_from, output_from, part_from, engine, tags, meter_id;
