-- The ratings in force, those that they repeat, and those that documents stand on (final invoices, adjustments), with what they were
-- made from and the digests of that and of what came out; only those that the arithmetic of today made, and made in full.
WITH stands AS (
	SELECT rating_id FROM finance.rating_in_force
	UNION SELECT rating_id FROM finance.invoice WHERE status = 'final' AND rating_id IS NOT NULL
	UNION SELECT old_rating_id FROM finance.adjustment
	UNION SELECT new_rating_id FROM finance.adjustment
), made AS (
	SELECT DISTINCT r.tenant, r.period, r.priced_until FROM stands JOIN finance.rating r USING (rating_id)
)
SELECT r.tenant, r.period, (extract(epoch FROM p.starts) * 1000000)::bigint, (extract(epoch FROM p.ends) * 1000000)::bigint,
       r.summed_until, r.priced_with, r.contracted_with, encode(r.input_digest, 'hex'), encode(r.output_digest, 'hex'), r.substituted_with
  FROM made m
  JOIN finance.rating r ON r.tenant = m.tenant AND r.period = m.period AND r.rating_run = m.priced_until
  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
 WHERE r.engine = 2 AND r.priced_until = r.summed_until
 ORDER BY r.tenant, r.period, r.rating_run;
