-- Grants with their balances.  One that expired with a balance waits for the first period it may still have to pay for: one that overlaps
-- its validity, is neither invoiced nor in a month that is closed, and has something to charge, on hold, or not rated yet; or one of which
-- an adjustment to pay waits.
-- $1 text tenant, '' for all
-- $2 text grant, '' for all
-- $3 timestamptz now
-- $4 boolean only those with a balance
SELECT g.grant_id, g.tenant, g.kind, g.amount_minor, e.balance_after, g.minor_units, g.currency, (extract(epoch FROM g.starts) * 1000000)::bigint,
       (extract(epoch FROM g.expires) * 1000000)::bigint, g.priority, g.model_pattern, array_to_string(g.meters, ' '), e.kind,
       g.starts > $3::timestamptz, COALESCE(g.expires <= $3::timestamptz, false), COALESCE(w.period, ''), g.request_id, g.issuer, g.reason,
       g.ticket, g.note, g.granted_by, (extract(epoch FROM g.granted_at) * 1000000)::bigint
  FROM finance.credit_grant g
 CROSS JOIN LATERAL (SELECT kind, balance_after FROM finance.credit_entry WHERE grant_id = g.grant_id ORDER BY place DESC LIMIT 1) e
  LEFT JOIN LATERAL (
	SELECT min(x.period) AS period
	  FROM (SELECT p.period
	          FROM finance.billing_period p
	         WHERE p.tenant = g.tenant AND p.starts < g.expires AND p.ends > g.starts
	           AND NOT EXISTS (SELECT FROM finance.invoiced_period i WHERE i.tenant = p.tenant AND i.period = p.period)
	           AND NOT finance.period_is_closed(p.period)
	           AND (EXISTS (SELECT FROM finance.rating_due d WHERE d.tenant = p.tenant AND d.period = p.period)
	             OR EXISTS (SELECT FROM finance.rating_in_force f JOIN finance.charge h USING (rating_id)
	                         WHERE f.tenant = p.tenant AND f.period = p.period AND h.price <> 0)
	             OR EXISTS (SELECT FROM finance.rating_in_force f JOIN finance.hold h USING (rating_id)
	                         WHERE f.tenant = p.tenant AND f.period = p.period))
	        UNION ALL
	        SELECT to_char(finance.period_month(GREATEST(b.first_event_time, g.starts), c.anchor, c.zone), 'YYYY-MM')
	          FROM metering.ingest_batch b
	         CROSS JOIN (SELECT zone, anchor FROM finance.contract WHERE tenant = g.tenant LIMIT 1) c
	         WHERE b.first_event_time < g.expires AND b.last_event_time >= g.starts
	           AND NOT EXISTS (SELECT FROM metering.summed_batch s WHERE s.batch_id = b.batch_id)
	        UNION ALL
	        SELECT a.original_period
	          FROM finance.adjustment_waiting a
	         WHERE a.tenant = g.tenant AND a.amount_minor > 0 AND a.first_interval < g.expires AND a.last_interval >= g.starts) x
	) w ON e.balance_after > 0 AND g.expires <= $3::timestamptz
 WHERE ($1::text = '' OR g.tenant = $1::text) AND ($2::text = '' OR g.grant_id::text = $2::text)
   AND (NOT $4::boolean OR e.balance_after > 0)
 ORDER BY g.tenant, g.grant_id;
