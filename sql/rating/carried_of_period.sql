-- What counters that outlive the month hold before a period: the units of earlier periods, as the newest rating of each up to a run
-- says.
-- $1 text tenant
-- $2 text period
-- $3 bigint the newest run that counts
WITH newest AS (
	SELECT DISTINCT ON (period) rating_id FROM finance.rating
	 WHERE tenant = $1::text AND period < $2::text AND rating_run <= $3::bigint
	 ORDER BY period, rating_run DESC
)
SELECT h.counter, sum(h.quantity)
  FROM newest JOIN finance.charge h USING (rating_id)
 WHERE h.counter <> ''
 GROUP BY h.counter ORDER BY h.counter;
