-- What of a month is not invoiced: drafts, and charges without any invoice.
-- $1 text period
SELECT 'a draft of ' || v.tenant || ' is not final' AS what, round(v.total_minor / 10::numeric ^ v.minor_units, 6), v.currency
  FROM finance.invoice v
 WHERE v.period = $1::text AND v.status = 'draft'
UNION ALL
SELECT 'charges of ' || f.tenant || ' are not invoiced', sum(h.amount), h.currency
  FROM finance.rating_in_force f
  JOIN finance.charge h USING (rating_id)
 WHERE f.period = $1::text AND h.price <> 0
   AND NOT EXISTS (SELECT FROM finance.invoiced_period i WHERE i.tenant = f.tenant AND i.period = f.period)
   AND NOT EXISTS (SELECT FROM finance.invoice v WHERE v.tenant = f.tenant AND v.period = f.period AND v.status = 'draft')
   AND NOT EXISTS (SELECT FROM finance.adjustment a WHERE a.tenant = f.tenant AND a.original_period = f.period
                      AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = a.adjustment_id))
 GROUP BY f.tenant, h.currency
 ORDER BY what;
