-- The differences of one item of a re-rate, by day.
-- $1 bigint re-rate
-- $2 integer place
SELECT d.day, d.model, d.service_tier, COALESCE(m.name, ''), d.kind, trim_scale(d.old_quantity * 10::numeric ^ -COALESCE(m.decimals, 0)),
       trim_scale(d.new_quantity * 10::numeric ^ -COALESCE(m.decimals, 0)), trim_scale(d.old_amount), trim_scale(d.new_amount),
       trim_scale(d.new_amount - d.old_amount)
  FROM finance.rerate_difference d
  LEFT JOIN metering.meter m USING (meter_id)
 WHERE d.rerate_id = $1::bigint AND d.place = $2::integer
 ORDER BY d.day, d.model, d.service_tier, d.meter_id, d.kind;
