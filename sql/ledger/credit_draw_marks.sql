-- How much of what a line charges was used before a border that falls into the line's time, and how much in all; by what was rated.
-- $1 bigint[] invoices, one for each border
-- $2 timestamptz[] borders, on quarters of an hour
SELECT b.invoice_id, l.line, (extract(epoch FROM b.at) * 1000000)::bigint, COALESCE(sum(q.quantity) FILTER (WHERE q.interval_start < b.at), 0), sum(q.quantity)
  FROM unnest($1::bigint[], $2::timestamptz[]) AS b (invoice_id, at)
  JOIN finance.invoice v ON v.invoice_id = b.invoice_id
  JOIN finance.invoice_line l ON l.invoice_id = v.invoice_id
  JOIN metering.meter m ON m.name = l.meter
  LEFT JOIN finance.adjustment a ON a.adjustment_id = l.adjustment_id
  LEFT JOIN finance.charge h ON l.adjustment_id IS NULL AND h.rating_id = v.rating_id AND h.ordinal = l.charge_ordinal
  JOIN finance.rating r ON r.rating_id = COALESCE(a.new_rating_id, v.rating_id)
  JOIN metering.usage_series s ON s.tenant = v.tenant AND s.model = l.model AND s.service_tier = l.service_tier
  JOIN metering.interval_quantity q ON q.series_id = s.series_id AND q.meter_id = m.meter_id AND q.rating_run <= r.priced_until
   AND q.interval_start BETWEEN COALESCE(a.first_interval, h.first_interval) AND COALESCE(a.last_interval, h.last_interval)
 WHERE l.amount_minor > 0
   AND b.at > COALESCE(a.first_interval, h.first_interval) AND b.at <= COALESCE(a.last_interval, h.last_interval)
 GROUP BY b.invoice_id, l.line, b.at
 ORDER BY b.invoice_id, l.line, b.at;
