-- Usage on hold in periods that are due, drafted or not, with what it would come to, as finance.held estimates it: what is held of one model does not make
-- up for what is taken back of another.  (Prices once for all of them: without statistics the view would be planned to find them for each.)
-- $1 timestamptz now
-- $2 integer hours of grace where the contract says none
WITH held AS MATERIALIZED (
	SELECT f.tenant, f.period, c.currency, h.meter_id, h.quantity, h.reason
	  FROM finance.rating_in_force f
	  JOIN finance.billing_period b ON b.tenant = f.tenant AND b.period = f.period
	 CROSS JOIN LATERAL (
		SELECT currency, grace_hours FROM finance.contract WHERE tenant = f.tenant AND effective < b.ends ORDER BY effective DESC LIMIT 1) c
	  JOIN finance.hold h ON h.rating_id = f.rating_id AND h.quantity <> 0
	 WHERE b.ends + interval '1 hour' * COALESCE(c.grace_hours, $2::integer) <= $1::timestamptz
	   AND NOT EXISTS (SELECT FROM finance.booked_period i WHERE i.tenant = f.tenant AND i.period = f.period)
	   AND NOT EXISTS (SELECT FROM finance.period_state s WHERE s.period = f.period AND s.state = 'hard')
), price AS MATERIALIZED (
	SELECT f.period, h.currency, h.meter_id, sum(h.amount) / sum(h.quantity) AS price
	  FROM finance.rating_in_force f JOIN finance.charge h USING (rating_id)
	 WHERE h.meter_id <> 0 AND f.period IN (SELECT period FROM held)
	 GROUP BY f.period, h.currency, h.meter_id HAVING sum(h.quantity) > 0
)
SELECT h.tenant, h.period, h.currency, CASE WHEN bool_and(p.price IS NOT NULL) THEN round(sum(abs(h.quantity * p.price)), 6)::text ELSE '' END,
       count(*), string_agg(DISTINCT h.reason, ', ' ORDER BY h.reason), COALESCE(round(sum(abs(h.quantity * p.price)), 6), 0)::text,
       count(*) FILTER (WHERE p.price IS NULL), sum(abs(h.quantity))::text
  FROM held h
  LEFT JOIN price p ON p.period = h.period AND p.currency = h.currency AND p.meter_id = h.meter_id
 GROUP BY h.tenant, h.period, h.currency
 ORDER BY h.tenant, h.period;
