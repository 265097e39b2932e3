-- The lines of invoices and drafts that charge the usage of events: those of the period's charges whose rating knew it, on the same model, service tier
-- and meter, with intervals around theirs.
-- $1 uuid[] the events
-- $2 text tenant
-- $3 text period
SELECT DISTINCT COALESCE(v.number, v.tenant || ':' || v.period) || '/' || l.line, COALESCE(s.standing, v.status), v.issued_on, l.model, l.service_tier,
       l.meter, l.kind, trim_scale(l.exact_amount), round(l.amount_minor * 10::numeric ^ -v.minor_units, v.minor_units), v.currency, l.line, v.invoice_id,
       v.status
  FROM metering.booked_rows($1::uuid[]) e
  JOIN metering.usage_series u USING (series_id)
  JOIN metering.summed_batch x ON x.batch_id = e.batch_id
 CROSS JOIN LATERAL (SELECT date_bin('15 minutes', e.event_time, '2000-01-01 00:00:00+00') AS starts) q
  JOIN finance.invoice v ON v.tenant = $2::text AND v.period = $3::text AND v.kind = 'period'
  JOIN finance.rating r ON r.rating_id = v.rating_id AND x.rating_run <= r.priced_until
  JOIN finance.charge c ON c.rating_id = v.rating_id AND c.model = u.model AND c.service_tier = u.service_tier
   AND c.first_interval <= q.starts AND q.starts <= c.last_interval
  JOIN metering.meter m ON m.meter_id = c.meter_id
  JOIN finance.invoice_line l ON l.invoice_id = v.invoice_id AND l.charge_ordinal = c.ordinal AND l.adjustment_id IS NULL
  LEFT JOIN finance.invoice_standing s ON s.invoice_id = v.invoice_id
 WHERE (COALESCE((to_jsonb(e) ->> m.name)::numeric, 0) <> 0 OR EXISTS (
	SELECT FROM generate_series(1, cardinality(e.extra), 2) i WHERE e.extra[i] = m.meter_id AND e.extra[i + 1] <> 0))
 ORDER BY v.invoice_id, l.line;
