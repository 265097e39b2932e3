-- The rating in force of a tenant's period, and what its charges were made from: where usage came after the period was invoiced, the
-- inputs of the newest rating that was of all there was.
-- $1 text tenant
-- $2 text period
SELECT c.rating_id, c.summed_until, v.number, r.rating_id, r.summed_until, r.priced_with, r.contracted_with, r.engine, encode(r.output_digest, 'hex'),
       (extract(epoch FROM p.starts) * 1000000)::bigint, (extract(epoch FROM p.ends) * 1000000)::bigint, r.substituted_with
  FROM finance.current_rating c
  JOIN finance.billing_period p ON p.tenant = c.tenant AND p.period = c.period
  LEFT JOIN finance.invoiced_period i ON i.tenant = c.tenant AND i.period = c.period
  LEFT JOIN finance.invoice v USING (invoice_id)
  JOIN finance.rating r ON r.rating_id = COALESCE(
	(SELECT max(x.rating_id) FROM finance.rating x
	  WHERE x.tenant = c.tenant AND x.period = c.period AND x.rating_id <= c.rating_id AND x.priced_until = x.summed_until), c.rating_id)
 WHERE c.tenant = $1::text AND c.period = $2::text;
