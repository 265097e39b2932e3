-- What the charges of a rating were made from: its own inputs, or those of the full rating that it repeats; none where neither is there.
-- $1 bigint rating
SELECT r.tenant, r.period, (extract(epoch FROM p.starts) * 1000000)::bigint, (extract(epoch FROM p.ends) * 1000000)::bigint, p.zone,
       b.summed_until, b.priced_with, b.contracted_with, b.substituted_with, b.engine, encode(b.output_digest, 'hex')
  FROM finance.rating r
  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
  LEFT JOIN finance.rating b ON b.tenant = r.tenant AND b.period = r.period AND b.rating_run = r.priced_until
   AND b.priced_until = b.summed_until
 WHERE r.rating_id = $1::bigint;
