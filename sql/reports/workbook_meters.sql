-- Quantities of a period by meter, each counted in its own table: the ledger's rows (archived ones by their sums), the intervals, charges,
-- holds.
-- A row belongs to the tenant's period by its own time and the tenant's borders; where the tenant was never
-- rated and has none, to what its contract would make them; without a contract to the UTC month.
-- $1 text  period, YYYY-MM
-- $2 text  tenant, '' for all
WITH borders AS (
	SELECT tenant, starts, ends FROM finance.billing_period WHERE period = $1::text AND $2::text IN ('', tenant)
), contracts AS (
	SELECT DISTINCT ON (tenant) tenant, zone, anchor FROM finance.contract ORDER BY tenant, effective
), month AS (
	SELECT ($1::text || '-01')::timestamp AS month, ($1::text || '-01')::timestamp AT TIME ZONE 'UTC' AS starts,
	       (($1::text || '-01')::timestamp + interval '1 month') AT TIME ZONE 'UTC' AS ends
), series AS (
	SELECT s.series_id, coalesce(b.starts, finance.period_begin(m.month, c.anchor, c.zone), m.starts) AS starts,
	       coalesce(b.ends, finance.period_begin(m.month + interval '1 month', c.anchor, c.zone), m.ends) AS ends
	  FROM metering.usage_series s CROSS JOIN month m LEFT JOIN borders b ON b.tenant = s.tenant
	  LEFT JOIN contracts c ON c.tenant = s.tenant
	 WHERE $2::text IN ('', s.tenant)
), events AS (
	SELECT e.*
	  FROM metering.usage_event e JOIN series s ON s.series_id = e.series_id
	 WHERE e.event_time >= s.starts AND e.event_time < s.ends
	   AND e.event_time >= (SELECT min(starts) FROM series) AND e.event_time < (SELECT max(ends) FROM series)
), columns AS (
	SELECT sum(requests) AS requests,
	       sum(input_text_uncached_tokens) AS input_text_uncached_tokens,
	       sum(input_text_cache_read_tokens) AS input_text_cache_read_tokens,
	       sum(input_text_cache_write_5m_tokens) AS input_text_cache_write_5m_tokens,
	       sum(input_text_cache_write_1h_tokens) AS input_text_cache_write_1h_tokens,
	       sum(output_text_tokens) AS output_text_tokens,
	       sum(output_reasoning_tokens) AS output_reasoning_tokens
	  FROM events
), ledger AS (
	SELECT m.meter_id, v.quantity
	  FROM columns c
	 CROSS JOIN LATERAL (VALUES
		('requests', c.requests),
		('input_text_uncached_tokens', c.input_text_uncached_tokens),
		('input_text_cache_read_tokens', c.input_text_cache_read_tokens),
		('input_text_cache_write_5m_tokens', c.input_text_cache_write_5m_tokens),
		('input_text_cache_write_1h_tokens', c.input_text_cache_write_1h_tokens),
		('output_text_tokens', c.output_text_tokens),
		('output_reasoning_tokens', c.output_reasoning_tokens)) v (name, quantity)
	  JOIN metering.meter m ON m.name = v.name
	UNION ALL
	SELECT e.extra[i], sum(e.extra[i + 1])
	  FROM events e CROSS JOIN LATERAL generate_series(1, cardinality(e.extra), 2) i
	 WHERE e.extra IS NOT NULL
	 GROUP BY e.extra[i]
), counted AS (
	SELECT meter_id, quantity AS ledger, 0 AS intervals, 0 AS charged, 0 AS held FROM ledger
	UNION ALL
	SELECT q.meter_id, sum(q.quantity), 0, 0, 0
	  FROM metering.archived_quantity q JOIN metering.archive_out o USING (archive_id) JOIN series s ON s.series_id = q.series_id
	 WHERE q.interval_start >= s.starts AND q.interval_start < s.ends
	 GROUP BY q.meter_id
	UNION ALL
	SELECT i.meter_id, 0, sum(i.quantity), 0, 0
	  FROM metering.interval_quantity i JOIN series s ON s.series_id = i.series_id
	 WHERE i.interval_start >= s.starts AND i.interval_start < s.ends
	 GROUP BY i.meter_id
	UNION ALL
	SELECT c.meter_id, 0, 0, sum(c.quantity), 0
	  FROM finance.current_rating r JOIN finance.charge c USING (rating_id)
	 WHERE r.period = $1::text AND $2::text IN ('', r.tenant)
	 GROUP BY c.meter_id
	UNION ALL
	SELECT h.meter_id, 0, 0, 0, sum(h.quantity)
	  FROM finance.current_rating r JOIN finance.hold h USING (rating_id)
	 WHERE r.period = $1::text AND $2::text IN ('', r.tenant)
	 GROUP BY h.meter_id
)
SELECT m.name,
       trim_scale(coalesce(sum(c.ledger), 0) * power(10::numeric, -m.decimals))::text,
       trim_scale(sum(c.intervals) * power(10::numeric, -m.decimals))::text,
       trim_scale(sum(c.charged) * power(10::numeric, -m.decimals))::text,
       trim_scale(sum(c.held) * power(10::numeric, -m.decimals))::text
  FROM counted c JOIN metering.meter m USING (meter_id)
 GROUP BY m.meter_id, m.name, m.decimals
HAVING bool_or(c.ledger <> 0 OR c.intervals <> 0 OR c.charged <> 0 OR c.held <> 0)
 ORDER BY m.meter_id;
