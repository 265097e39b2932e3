-- What earlier periods spent after discounts, as the newest rating of each up to a run says.
-- $1 text tenant
-- $2 text period
-- $3 bigint the newest run that counts
WITH newest AS (
	SELECT DISTINCT ON (period) period, rating_id FROM finance.rating
	 WHERE tenant = $1::text AND period < $2::text AND rating_run <= $3::bigint
	 ORDER BY period, rating_run DESC
)
SELECT n.period, sum(h.amount)
  FROM newest n JOIN finance.charge h USING (rating_id)
 WHERE h.kind IN ('usage', 'tier_fee', 'discount') AND h.contract_id IS NOT NULL
 GROUP BY n.period ORDER BY n.period;
