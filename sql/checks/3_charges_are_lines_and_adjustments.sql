-- the charges in force of an invoiced period = the lines of its invoice + its adjustments, exactly and rounded, by what they are of
-- (of periods from tollbook.check_from on; reports/check_scope.sql sets it.  Where no invoice has the period: of one that was closed without an
-- invoice, the adjustments alone are its charges; where they were all dropped or taken back, they come to nothing.)
WITH period AS (
	SELECT c.tenant, c.period, v.invoice_id, COALESCE(v.minor_units, a.minor_units) AS minor_units,
	       v.invoice_id IS NOT NULL OR EXISTS (SELECT FROM finance.adjusted_period j WHERE j.tenant = c.tenant AND j.period = c.period) AS counts
	  FROM (SELECT tenant, period FROM finance.invoiced_period UNION SELECT tenant, original_period FROM finance.adjustment) c
	  LEFT JOIN finance.invoiced_period i ON i.tenant = c.tenant AND i.period = c.period
	  LEFT JOIN finance.invoice v ON v.invoice_id = i.invoice_id
	  LEFT JOIN LATERAL (
		SELECT minor_units FROM finance.adjustment a WHERE a.tenant = c.tenant AND a.original_period = c.period LIMIT 1) a ON true
	 WHERE c.period >= COALESCE(current_setting('tollbook.check_from', true), '')
), part AS (
	SELECT p.tenant, p.period, h.kind, h.model, h.service_tier, h.meter_id, h.amount AS charged,
	       round(h.amount * 10::numeric ^ p.minor_units) AS rounded, 0::numeric AS booked, 0::numeric AS booked_minor
	  FROM period p
	  JOIN finance.rating_in_force f ON f.tenant = p.tenant AND f.period = p.period
	  JOIN finance.charge h ON h.rating_id = f.rating_id
	 WHERE p.counts AND h.price <> 0
	UNION ALL
	SELECT p.tenant, p.period, l.kind COLLATE "C", l.model COLLATE "C", l.service_tier COLLATE "C", COALESCE(m.meter_id, 0::smallint), 0, 0,
	       l.exact_amount, l.amount_minor
	  FROM period p
	  JOIN finance.invoice_line l USING (invoice_id)
	  LEFT JOIN metering.meter m ON m.name = l.meter COLLATE "C"
	 WHERE l.adjustment_id IS NULL
	UNION ALL
	SELECT p.tenant, p.period, a.kind, a.model, a.service_tier, a.meter_id, 0, 0, a.exact_amount, a.amount_minor
	  FROM period p
	  JOIN finance.adjustment a ON a.tenant = p.tenant AND a.original_period = p.period
	 WHERE NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = a.adjustment_id)
)
SELECT tenant, period, kind, model, service_tier, meter_id AS meter, sum(charged) AS charged, sum(booked) AS booked,
       sum(rounded) AS charged_minor, sum(booked_minor) AS booked_minor
  FROM part
 GROUP BY tenant, period, kind, model, service_tier, meter_id
HAVING sum(charged) <> sum(booked) OR sum(rounded) <> sum(booked_minor);
