-- What of a month is not invoiced: drafts, and charges without any invoice; and why, where the nightly job set it aside.
-- $1 text period
WITH parked AS (
	SELECT tenant, string_agg(DISTINCT reason, ', ' ORDER BY reason) AS reasons FROM finance.parked_now WHERE period = $1::text GROUP BY tenant
)
SELECT 'a draft of ' || v.tenant || ' is not final' || COALESCE(', parked: ' || k.reasons, '') AS what, round(v.total_minor / 10::numeric ^ v.minor_units, 6), v.currency
  FROM finance.invoice v
  LEFT JOIN parked k ON k.tenant = v.tenant
 WHERE v.period = $1::text AND v.status = 'draft'
UNION ALL
SELECT 'charges of ' || f.tenant || ' are not invoiced' || COALESCE(', parked: ' || k.reasons, ''), sum(h.amount), h.currency
  FROM finance.rating_in_force f
  JOIN finance.charge h USING (rating_id)
  LEFT JOIN parked k ON k.tenant = f.tenant
 WHERE f.period = $1::text AND h.price <> 0
   AND NOT EXISTS (SELECT FROM finance.invoiced_period i WHERE i.tenant = f.tenant AND i.period = f.period)
   AND NOT EXISTS (SELECT FROM finance.invoice v WHERE v.tenant = f.tenant AND v.period = f.period AND v.status = 'draft')
   AND NOT EXISTS (SELECT FROM finance.adjustment a WHERE a.tenant = f.tenant AND a.original_period = f.period
                      AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = a.adjustment_id))
 GROUP BY f.tenant, k.reasons, h.currency
 ORDER BY what;
