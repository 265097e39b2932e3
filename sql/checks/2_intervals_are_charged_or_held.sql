-- for each tenant, period and meter: the sum over intervals rated = charged + held quantity
-- (of periods from tollbook.check_from on; reports/check_scope.sql sets it.  One tenant's period at a time through the index: the view
-- of all meters would be read whole for each.)
WITH rated AS (
	SELECT rating_id, meter_id, sum(quantity) AS quantity FROM (
		SELECT h.rating_id, h.meter_id, h.quantity FROM finance.rating_in_force f JOIN finance.charge h USING (rating_id)
		 WHERE f.period >= COALESCE(current_setting('tollbook.check_from', true), '')
		UNION ALL
		SELECT h.rating_id, h.meter_id, h.quantity FROM finance.rating_in_force f JOIN finance.hold h USING (rating_id)
		 WHERE f.period >= COALESCE(current_setting('tollbook.check_from', true), '')) x
	 GROUP BY rating_id, meter_id
), metered AS (
	SELECT r.rating_id, i.meter_id, i.quantity
	  FROM finance.current_rating r
	  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
	 CROSS JOIN LATERAL (
		SELECT q.meter_id, q.quantity
		  FROM (SELECT sum(i.requests) AS m1, sum(i.input_text_uncached_tokens) AS m2, sum(i.input_text_cache_read_tokens) AS m3,
		               sum(i.input_text_cache_write_5m_tokens) AS m4, sum(i.input_text_cache_write_1h_tokens) AS m5,
		               sum(i.output_text_tokens) AS m6, sum(i.output_reasoning_tokens) AS m7
		          FROM metering.usage_series s JOIN metering.usage_interval i USING (series_id)
		         WHERE s.tenant = r.tenant AND i.interval_start >= p.starts AND i.interval_start < p.ends AND i.rating_run <= r.summed_until) h
		 CROSS JOIN LATERAL (VALUES (1::smallint, m1), (2, m2), (3, m3), (4, m4), (5, m5), (6, m6), (7, m7)) AS q (meter_id, quantity)
		UNION ALL
		SELECT i.meter_id, sum(i.quantity)
		  FROM metering.usage_series s JOIN metering.usage_interval_extra i USING (series_id)
		 WHERE s.tenant = r.tenant AND i.interval_start >= p.starts AND i.interval_start < p.ends AND i.rating_run <= r.summed_until
		 GROUP BY i.meter_id) i
	 WHERE r.period >= COALESCE(current_setting('tollbook.check_from', true), '')
)
SELECT r.tenant, r.period, meter_id AS meter, COALESCE(m.quantity, 0) AS metered, COALESCE(x.quantity, 0) AS charged_or_held
  FROM metered m FULL JOIN rated x USING (rating_id, meter_id) JOIN finance.rating r USING (rating_id)
 WHERE COALESCE(m.quantity, 0) <> COALESCE(x.quantity, 0);
