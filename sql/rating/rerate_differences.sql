-- The differences of a re-rate, summed up by some of tenant, model, meter and day; the largest ones first, or all in the order of their names.
-- $1 bigint re-rate
-- $2 boolean by tenant and period
-- $3 boolean by model and service tier
-- $4 boolean by meter and kind
-- $5 boolean by day
-- $6 bigint how many of the largest; NULL for all in order
SELECT g.* FROM (
	SELECT CASE WHEN $2::boolean THEN i.tenant END AS tenant, CASE WHEN $2::boolean THEN i.period END AS period,
	       CASE WHEN $3::boolean THEN d.model END AS model, CASE WHEN $3::boolean THEN d.service_tier END AS service_tier,
	       CASE WHEN $4::boolean THEN COALESCE(m.name, '') END AS meter, CASE WHEN $4::boolean THEN d.kind END AS kind,
	       CASE WHEN $5::boolean THEN to_char(d.day, 'YYYY-MM-DD') END AS day,
	       CASE WHEN $4::boolean THEN d.meter_id END AS meter_id,
	       CASE WHEN $4::boolean THEN sum(d.old_quantity) END, CASE WHEN $4::boolean THEN sum(d.new_quantity) END,
	       finance.amount_shown(sum(d.old_amount), i.minor_units), finance.amount_shown(sum(d.new_amount), i.minor_units),
	       finance.amount_shown(sum(d.new_amount - d.old_amount), i.minor_units) AS difference, i.currency
	  FROM finance.rerate_difference d
	  JOIN finance.rerate_item i USING (rerate_id, place)
	  LEFT JOIN metering.meter m ON m.meter_id = d.meter_id
	 WHERE d.rerate_id = $1::bigint
	 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, i.currency, i.minor_units) g
 WHERE $6::bigint IS NULL OR g.difference <> 0
 ORDER BY CASE WHEN $6::bigint IS NOT NULL THEN -abs(g.difference) END, g.tenant, g.period, g.model, g.service_tier, g.meter_id, g.kind, g.day,
       g.currency
 LIMIT $6::bigint;
