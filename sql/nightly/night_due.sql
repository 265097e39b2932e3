-- The periods that would be invoiced by an instant, as far as they are rated: ended, with their grace over, and not invoiced; what is charged
-- so far, and how they stand.
-- $1 timestamptz the instant
-- $2 integer hours of grace where the contract says none
SELECT p.tenant, p.period, to_char(p.ends, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(d.due, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       (SELECT finance.amount_shown(sum(h.amount), 0) FROM finance.charge h WHERE h.rating_id = f.rating_id), COALESCE(c.currency, ''),
       CASE WHEN c.contract_id IS NULL THEN 'no contract'
            WHEN k.reason IS NOT NULL THEN 'parked: ' || k.reason
            WHEN EXISTS (SELECT FROM finance.rating_due r WHERE r.tenant = p.tenant AND r.period = p.period) THEN 'to be rated'
            WHEN EXISTS (SELECT FROM finance.invoice v WHERE v.tenant = p.tenant AND v.period = p.period AND v.status = 'draft') THEN 'draft'
            ELSE 'rated' END
  FROM finance.billing_period p
  JOIN finance.rating_in_force f ON f.tenant = p.tenant AND f.period = p.period
  LEFT JOIN LATERAL (SELECT * FROM finance.contract WHERE tenant = p.tenant AND effective < p.ends ORDER BY effective DESC LIMIT 1) c ON true
 CROSS JOIN LATERAL (SELECT p.ends + make_interval(hours => COALESCE(c.grace_hours, $2::integer)) AS due) d
  LEFT JOIN LATERAL (SELECT string_agg(DISTINCT n.reason, ', ') AS reason FROM finance.parked_now n WHERE n.tenant = p.tenant AND n.period = p.period) k ON true
 WHERE d.due <= $1::timestamptz
   AND NOT EXISTS (SELECT FROM finance.booked_period b WHERE b.tenant = p.tenant AND b.period = p.period)
   AND EXISTS (SELECT FROM finance.charge h WHERE h.rating_id = f.rating_id AND h.price <> 0)
 ORDER BY d.due, p.tenant, p.period;
