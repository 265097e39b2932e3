-- Sets what a re-rate leaves owed to a tenant against what was waived of the period before, which nobody paid: takes it off both, by a pair of
-- rows that come to nothing together.
-- $1 bigint re-rate
-- $2 timestamptz when
-- $3 text by whom
WITH owed AS (
	SELECT a.tenant, a.original_period, -sum(a.amount_minor) AS minor, (array_agg(a.adjustment_id ORDER BY a.amount_minor, a.adjustment_id))[1] AS adjustment_id
	  FROM finance.adjustment a
	 WHERE a.rerate_id = $1::bigint AND a.outcome = 'next_invoice'
	 GROUP BY a.tenant, a.original_period HAVING sum(a.amount_minor) < 0
), part AS (
	SELECT o.adjustment_id, LEAST(o.minor, w.minor)::bigint AS minor
	  FROM owed o
	 CROSS JOIN LATERAL (
		SELECT COALESCE(sum(x.amount_minor), 0) AS minor FROM finance.adjustment x
		 WHERE x.tenant = o.tenant AND x.original_period = o.original_period AND x.outcome = 'waived'
		   AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = x.adjustment_id)) w
	 WHERE w.minor > 0
)
INSERT INTO finance.adjustment (rerate_id, tenant, original_period, currency, minor_units, kind, model, service_tier, meter_id, old_rating_id,
       new_rating_id, price_book_version_id, quantity, exact_amount, amount_minor, first_interval, last_interval, reason, ticket, outcome,
       booked_at, booked_by)
SELECT a.rerate_id, a.tenant, a.original_period, a.currency, a.minor_units, a.kind, a.model, a.service_tier, a.meter_id, a.old_rating_id,
       a.new_rating_id, a.price_book_version_id, 0, 0, s.sign * p.minor, a.first_interval, a.last_interval, a.reason, a.ticket, s.outcome,
       $2::timestamptz, $3::text
  FROM part p
  JOIN finance.adjustment a USING (adjustment_id)
 CROSS JOIN (VALUES (1, 'next_invoice'), (-1, 'waived')) AS s (sign, outcome)
 ORDER BY a.tenant, a.original_period, s.sign DESC;
