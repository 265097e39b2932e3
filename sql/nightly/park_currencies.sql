-- Periods whose grace is over that would be drafted, had they no charges in another currency than their contract's.
-- $1 timestamptz now
-- $2 integer hours of grace where the contract says none
SELECT r.tenant, r.period, c.currency, count(*), string_agg(DISTINCT h.currency, ', ' ORDER BY h.currency)
  FROM finance.current_rating r
  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
 CROSS JOIN LATERAL (
	SELECT currency, grace_hours FROM finance.contract WHERE tenant = r.tenant AND effective < p.ends ORDER BY effective DESC LIMIT 1) c
  JOIN finance.charge h ON h.rating_id = r.rating_id AND h.currency <> c.currency
 WHERE p.ends + interval '1 hour' * COALESCE(c.grace_hours, $2::integer) <= $1::timestamptz
   AND NOT EXISTS (SELECT FROM finance.booked_period b WHERE b.tenant = r.tenant AND b.period = r.period)
   AND NOT EXISTS (SELECT FROM finance.period_state s WHERE s.period = r.period AND s.state = 'hard')
 GROUP BY r.tenant, r.period, c.currency
 ORDER BY r.tenant, r.period;
