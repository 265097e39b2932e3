-- each charge in force is quantity x price / per, to the 18th decimal
SELECT h.rating_id AS rating, h.ordinal, h.amount, round(h.quantity * h.price / (h.per * 10::numeric ^ m.decimals), 18) AS recomputed
  FROM finance.rating_in_force
  JOIN finance.charge h USING (rating_id)
  JOIN metering.meter m USING (meter_id)
 WHERE abs(h.amount - h.quantity * h.price / (h.per * 10::numeric ^ m.decimals)) > 0.000000000000000001;
