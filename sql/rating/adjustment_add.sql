-- Books what a re-rate that was applied changes of closed periods, by what a line is about: the exact difference to the charges that were in
-- force, and in minor units what is lacking to a right invoice.  Waived where all that was let off of a period, this included, is owed by
-- the tenant and below what the contract says.  What changes no money (free meters, trials, allowances) is no line.
-- $1 bigint re-rate
-- $2 bigint run that applied it
-- $3 timestamptz when
-- $4 text by whom
WITH again AS (
	SELECT i.tenant, i.period, i.currency, i.minor_units, i.old_rating_id, r.rating_id AS new_rating_id, c.invoice_id,
	       EXISTS (SELECT FROM finance.booked_period b WHERE b.tenant = i.tenant AND b.period = i.period) AS is_booked
	  FROM finance.rerate_item i
	  JOIN finance.rating r ON r.tenant = i.tenant AND r.period = i.period AND r.rating_run = $2::bigint
	  LEFT JOIN finance.invoiced_period c ON c.tenant = i.tenant AND c.period = i.period
	 WHERE i.rerate_id = $1::bigint AND i.closed AND i.currency <> ''
), part AS (
	SELECT a.tenant, a.period, h.kind, h.model, h.service_tier, h.meter_id, h.quantity, h.amount AS exact,
	       round(h.amount, a.minor_units) * 10::numeric ^ a.minor_units AS minor, true AS is_new, h.price_book_version_id,
	       h.first_interval, h.last_interval
	  FROM again a JOIN finance.charge h ON h.rating_id = a.new_rating_id
	UNION ALL
	SELECT a.tenant, a.period, h.kind, h.model, h.service_tier, h.meter_id, -h.quantity, -h.amount, 0, false, h.price_book_version_id,
	       h.first_interval, h.last_interval
	  FROM again a JOIN finance.charge h ON h.rating_id = a.old_rating_id
	 WHERE a.is_booked  -- what was rated before its month was closed, and never invoiced, is not booked at all
	UNION ALL
	SELECT a.tenant, a.period, h.kind, h.model, h.service_tier, h.meter_id, 0, 0, -l.amount_minor, NULL, h.price_book_version_id,
	       h.first_interval, h.last_interval
	  FROM again a
	  JOIN finance.invoice v ON v.invoice_id = a.invoice_id
	  JOIN finance.invoice_line l ON l.invoice_id = v.invoice_id AND l.adjustment_id IS NULL
	  JOIN finance.charge h ON h.rating_id = v.rating_id AND h.ordinal = l.charge_ordinal
	UNION ALL
	SELECT a.tenant, a.period, j.kind, j.model, j.service_tier, j.meter_id, 0, 0, -j.amount_minor, NULL, j.price_book_version_id,
	       j.first_interval, j.last_interval
	  FROM again a
	  JOIN finance.adjustment j ON j.tenant = a.tenant AND j.original_period = a.period
	 WHERE NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = j.adjustment_id)
), line AS (
	SELECT tenant, period, kind, model, service_tier, meter_id, sum(quantity) AS quantity, sum(exact) AS exact, sum(minor)::bigint AS minor,
	       COALESCE(max(price_book_version_id) FILTER (WHERE is_new), max(price_book_version_id)) AS price_book_version_id,
	       COALESCE(min(first_interval) FILTER (WHERE is_new), min(first_interval)) AS first_interval,
	       COALESCE(max(last_interval) FILTER (WHERE is_new), max(last_interval)) AS last_interval
	  FROM part
	 GROUP BY tenant, period, kind, model, service_tier, meter_id
	HAVING sum(exact) <> 0 OR sum(minor) <> 0
), total AS (
	SELECT l.tenant, l.period, sum(l.minor) + COALESCE((
		SELECT sum(w.amount_minor) FROM finance.adjustment w
		 WHERE w.tenant = l.tenant AND w.original_period = l.period AND w.outcome = 'waived'
		   AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = w.adjustment_id)), 0) AS minor
	  FROM line l GROUP BY l.tenant, l.period
), policy AS (
	SELECT a.tenant, a.period, COALESCE((
		SELECT COALESCE((NULLIF(c.terms, '')::jsonb #>> '{adjustments,waive_below}')::numeric, 0)
		  FROM finance.contract c WHERE c.tenant = a.tenant AND c.effective < p.ends ORDER BY c.effective DESC LIMIT 1), 0)
	       * 10::numeric ^ a.minor_units AS waive_below
	  FROM again a JOIN finance.billing_period p ON p.tenant = a.tenant AND p.period = a.period
)
INSERT INTO finance.adjustment (rerate_id, tenant, original_period, currency, minor_units, kind, model, service_tier, meter_id, old_rating_id,
       new_rating_id, price_book_version_id, quantity, exact_amount, amount_minor, first_interval, last_interval, reason, ticket, outcome,
       booked_at, booked_by)
SELECT $1::bigint, a.tenant, a.period, a.currency, a.minor_units, l.kind, l.model, l.service_tier, l.meter_id, a.old_rating_id,
       a.new_rating_id, l.price_book_version_id, l.quantity, l.exact, l.minor, l.first_interval, l.last_interval, r.reason, r.ticket,
       CASE WHEN t.minor >= 0 AND t.minor < p.waive_below THEN 'waived' ELSE 'next_invoice' END, $3::timestamptz, $4::text
  FROM again a
  JOIN line l ON l.tenant = a.tenant AND l.period = a.period
  JOIN total t ON t.tenant = a.tenant AND t.period = a.period
  JOIN policy p ON p.tenant = a.tenant AND p.period = a.period
  JOIN finance.rerate r ON r.rerate_id = $1::bigint
 ORDER BY a.tenant, a.period, l.model, l.service_tier, l.meter_id, l.kind;
