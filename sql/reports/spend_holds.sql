-- What ratings hold, by reason and meter, in the order of tenant and period.
-- $1 bigint[] ratings
SELECT r.rating_id, h.reason, h.meter_id, sum(h.quantity)
  FROM finance.rating r JOIN finance.hold h USING (rating_id)
 WHERE r.rating_id = ANY ($1::bigint[])
 GROUP BY r.rating_id, r.tenant, r.period, h.reason, h.meter_id
 ORDER BY r.tenant, r.period, h.reason COLLATE "C", h.meter_id;
