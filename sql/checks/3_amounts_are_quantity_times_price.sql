-- each charge in force is quantity x price / per, to the 18th decimal
-- (of periods from tollbook.check_from on; reports/check_scope.sql sets it)
SELECT h.rating_id AS rating, h.ordinal, h.amount, round(h.quantity * h.price / (h.per * 10::numeric ^ m.decimals), 18) AS recomputed
  FROM finance.rating_in_force f
  JOIN finance.charge h USING (rating_id)
  JOIN metering.meter m USING (meter_id)
 WHERE f.period >= COALESCE(current_setting('tollbook.check_from', true), '')
   AND abs(h.amount - h.quantity * h.price / (h.per * 10::numeric ^ m.decimals)) > 0.000000000000000001;
