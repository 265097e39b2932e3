-- What ratings charge, by currency, in the order of tenant and period.
-- $1 bigint[] ratings
SELECT r.rating_id, h.currency, trim_scale(sum(h.amount))::text
  FROM finance.rating r JOIN finance.charge h USING (rating_id)
 WHERE r.rating_id = ANY ($1::bigint[])
 GROUP BY r.rating_id, r.tenant, r.period, h.currency
 ORDER BY r.tenant, r.period, h.currency COLLATE "C";
