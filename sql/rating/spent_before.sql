-- What periods before a period spent after discounts, while a commitment was in force, tenant by tenant and contract by contract, as the
-- newest rating of each up to a run says.
-- $1 text[] tenants
-- $2 text period
-- $3 bigint the newest run that counts
WITH newest AS (
	SELECT DISTINCT ON (p.place, r.period) p.place, r.period, r.rating_id
	  FROM unnest($1::text[]) WITH ORDINALITY AS p (tenant, place)
	  JOIN finance.rating r ON r.tenant = p.tenant AND r.period < $2::text AND r.rating_run <= $3::bigint
	 ORDER BY p.place, r.period, r.rating_run DESC
)
SELECT n.place, n.period, contract_id, sum(h.amount)
  FROM newest n
  JOIN finance.charge h USING (rating_id)
  JOIN finance.contract c USING (contract_id)
 WHERE h.kind IN ('usage', 'tier_fee', 'discount') AND position('"commitment":' IN c.terms) > 0
 GROUP BY n.place, n.period, contract_id ORDER BY n.place, n.period, contract_id;
