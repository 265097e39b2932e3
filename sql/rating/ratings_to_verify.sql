-- The ratings in force, and the ratings behind final invoices, with what they were made from and the digests of that and of what came
-- out; only those that the arithmetic of today made.
SELECT r.tenant, r.period, (extract(epoch FROM p.starts) * 1000000)::bigint, (extract(epoch FROM p.ends) * 1000000)::bigint,
       r.summed_until, r.priced_with, r.contracted_with, encode(r.input_digest, 'hex'), encode(r.output_digest, 'hex')
  FROM finance.rating r
  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
 WHERE r.engine = 2 AND r.rating_id IN (
	SELECT rating_id FROM finance.invoice WHERE status = 'final'
	UNION
	SELECT f.rating_id FROM finance.rating_in_force f
	 WHERE NOT EXISTS (SELECT FROM finance.invoice v WHERE v.tenant = f.tenant AND v.period = f.period AND v.status = 'final'))
 ORDER BY r.tenant, r.period;
