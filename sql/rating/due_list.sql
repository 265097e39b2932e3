-- The periods to rate, within a scope, with their borders.  Of those that are closed: why usage that is late is held, and the rating
-- in force that stays as it is, with the run until which it is complete; no rating where nothing is booked of the period yet.  Earlier
-- periods come first: what they leave in counters is there when later ones are rated.
-- $1 text period, '' for all
-- $2 text tenant, '' for all
-- $3 bigint the share of the tenants, from 1
-- $4 bigint of how many shares
SELECT d.tenant, d.period, (extract(epoch FROM p.starts) * 1000000)::bigint, (extract(epoch FROM p.ends) * 1000000)::bigint,
       CASE WHEN i.invoice_id IS NOT NULL THEN 'period_invoiced' WHEN b.period IS NOT NULL OR s.period IS NOT NULL THEN 'period_closed' END,
       CASE WHEN b.period IS NOT NULL THEN f.rating_id END, CASE WHEN b.period IS NOT NULL THEN f.priced_until ELSE 0 END
  FROM finance.rating_due d
  JOIN finance.billing_period p ON p.tenant = d.tenant AND p.period = d.period
  LEFT JOIN finance.invoiced_period i ON i.tenant = d.tenant AND i.period = d.period
  LEFT JOIN finance.booked_period b ON b.tenant = d.tenant AND b.period = d.period
  LEFT JOIN finance.period_state s ON s.period = d.period AND s.state <> 'open'
  LEFT JOIN finance.current_rating f ON f.tenant = d.tenant AND f.period = d.period
 WHERE ($1::text = '' OR d.period = $1::text) AND ($2::text = '' OR d.tenant = $2::text)
   AND ($4::bigint = 1 OR (hashtextextended(d.tenant, 0) & 9223372036854775807) % $4::bigint = $3::bigint - 1)
 ORDER BY d.period, d.tenant;
