-- The rating in force of a tenant's period, and what its charges were made from: where the period is invoiced, the inputs of the
-- rating that was.
-- $1 text tenant
-- $2 text period
SELECT c.rating_id, c.summed_until, v.number, r.rating_id, r.summed_until, r.priced_with, r.contracted_with, r.engine, encode(r.output_digest, 'hex'),
       (extract(epoch FROM p.starts) * 1000000)::bigint, (extract(epoch FROM p.ends) * 1000000)::bigint
  FROM finance.current_rating c
  JOIN finance.billing_period p ON p.tenant = c.tenant AND p.period = c.period
  LEFT JOIN finance.invoice v ON v.tenant = c.tenant AND v.period = c.period AND v.status = 'final'
  JOIN finance.rating r ON r.rating_id = COALESCE(v.rating_id, c.rating_id)
 WHERE c.tenant = $1::text AND c.period = $2::text;
