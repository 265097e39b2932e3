-- How much of what a line charges was used before a border that falls into the line's time, and how much in all; by what was rated.
-- $1 bigint invoice
-- $2 timestamptz[] borders, on quarters of an hour
SELECT l.line, (extract(epoch FROM b.at) * 1000000)::bigint, COALESCE(sum(q.quantity) FILTER (WHERE q.interval_start < b.at), 0), sum(q.quantity)
  FROM finance.invoice v
  JOIN finance.invoice_line l USING (invoice_id)
  JOIN metering.meter m ON m.name = l.meter
  LEFT JOIN finance.adjustment a ON a.adjustment_id = l.adjustment_id
  LEFT JOIN finance.charge h ON l.adjustment_id IS NULL AND h.rating_id = v.rating_id AND h.ordinal = l.charge_ordinal
  JOIN finance.rating r ON r.rating_id = COALESCE(a.new_rating_id, v.rating_id)
  JOIN unnest($2::timestamptz[]) AS b (at)
    ON b.at > COALESCE(a.first_interval, h.first_interval) AND b.at <= COALESCE(a.last_interval, h.last_interval)
  JOIN metering.usage_series s ON s.tenant = v.tenant AND s.model = l.model AND s.service_tier = l.service_tier
  JOIN metering.interval_quantity q ON q.series_id = s.series_id AND q.meter_id = m.meter_id AND q.rating_run <= r.priced_until
   AND q.interval_start BETWEEN COALESCE(a.first_interval, h.first_interval) AND COALESCE(a.last_interval, h.last_interval)
 WHERE v.invoice_id = $1::bigint AND l.amount_minor > 0
 GROUP BY l.line, b.at
 ORDER BY l.line, b.at;
