-- How much of what a line of credit_drawn_lines.sql charges was used before a border that falls into its time, and how much in all.
-- $1 bigint invoice
-- $2 bigint rating
-- $3 timestamptz[] borders, on quarters of an hour
SELECT v.invoice_id, x.line, (extract(epoch FROM b.at) * 1000000)::bigint, COALESCE(sum(q.quantity) FILTER (WHERE q.interval_start < b.at), 0), sum(q.quantity)
  FROM finance.invoice v
 CROSS JOIN LATERAL (
	SELECT h.ordinal + 1 AS line, h.model, h.service_tier, h.meter_id, h.first_interval, h.last_interval, h.rating_id
	  FROM finance.charge h
	 WHERE h.rating_id = $2::bigint AND h.amount > 0
	UNION ALL
	SELECT -l.line, a.model, a.service_tier, a.meter_id, a.first_interval, a.last_interval, a.new_rating_id
	  FROM finance.invoice_line l
	  JOIN finance.adjustment a USING (adjustment_id)
	 WHERE l.invoice_id = v.invoice_id AND l.amount_minor > 0) x
  JOIN finance.rating r ON r.rating_id = x.rating_id
  JOIN unnest($3::timestamptz[]) AS b (at) ON b.at > x.first_interval AND b.at <= x.last_interval
  JOIN metering.usage_series s ON s.tenant = v.tenant AND s.model = x.model AND s.service_tier = x.service_tier
  JOIN metering.interval_quantity q ON q.series_id = s.series_id AND q.meter_id = x.meter_id AND q.rating_run <= r.priced_until
   AND q.interval_start BETWEEN x.first_interval AND x.last_interval
 WHERE v.invoice_id = $1::bigint
 GROUP BY v.invoice_id, x.line, b.at
 ORDER BY x.line, b.at;
