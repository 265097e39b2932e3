-- The periods to rate, within a scope, with their borders and, where they are invoiced, the rating that was.  Earlier periods come
-- first: what they leave in counters is there when later ones are rated.
-- $1 text period, '' for all
-- $2 text tenant, '' for all
SELECT d.tenant, d.period, (extract(epoch FROM p.starts) * 1000000)::bigint, (extract(epoch FROM p.ends) * 1000000)::bigint,
       v.rating_id, f.priced_until
  FROM finance.rating_due d
  JOIN finance.billing_period p ON p.tenant = d.tenant AND p.period = d.period
  LEFT JOIN finance.invoice v ON v.tenant = d.tenant AND v.period = d.period AND v.status = 'final'
  LEFT JOIN finance.rating f ON f.rating_id = v.rating_id
 WHERE ($1::text = '' OR d.period = $1::text) AND ($2::text = '' OR d.tenant = $2::text)
 ORDER BY d.period, d.tenant;
