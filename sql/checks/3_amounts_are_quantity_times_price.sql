-- each charge in force is quantity x price / per, to the 18th decimal
-- (of periods from tollbook.check_from on; reports/check_scope.sql sets it.  The quantity is the one billed: packages are whole, and a
-- contract's own charge, of no meter, is billed once.)
SELECT f.tenant, f.period, h.rating_id AS rating, h.ordinal, h.amount, round(q.billed * h.price / q.per, 18) AS recomputed
  FROM finance.rating_in_force f
  JOIN finance.charge h USING (rating_id)
  LEFT JOIN metering.meter m USING (meter_id)
 CROSS JOIN LATERAL (SELECT COALESCE(h.billed, h.quantity) AS billed, h.per * 10::numeric ^ COALESCE(m.decimals, 0) AS per) q
 WHERE f.period >= COALESCE(current_setting('tollbook.check_from', true), '')
   AND abs(h.amount - q.billed * h.price / q.per) > 0.000000000000000001;
