-- What each model brought in one currency, the largest first, all but the first $4 models in one row; last, in a row of its own, what
-- contracts add and take off.
-- $1 text     period, YYYY-MM
-- $2 text     tenant, '' for all
-- $3 text     currency
-- $4 integer  models to name
WITH sums AS (
	SELECT c.model, c.meter_id = 0 AS is_contract, sum(c.amount) AS exact
	  FROM finance.current_rating r JOIN finance.charge c USING (rating_id)
	 WHERE r.period = $1::text AND $2::text IN ('', r.tenant) AND c.currency = $3::text
	 GROUP BY c.model, c.meter_id = 0
), ranked AS (
	SELECT model, is_contract, exact, row_number() OVER (PARTITION BY is_contract ORDER BY exact DESC, model) AS rank FROM sums
)
SELECT min(model), count(*), trim_scale(sum(exact))::text, is_contract
  FROM ranked
 GROUP BY is_contract, least(rank, $4::integer + 1)
 ORDER BY is_contract, least(rank, $4::integer + 1);
