-- The holds of a rating, to be carried over to a later one; without those of usage that was late, which is held anew.
-- $1 bigint rating
SELECT model, service_tier, meter_id, reason, quantity, (extract(epoch FROM first_interval) * 1000000)::bigint,
       (extract(epoch FROM last_interval) * 1000000)::bigint
  FROM finance.hold WHERE rating_id = $1::bigint AND reason NOT IN ('period_invoiced', 'period_closed') ORDER BY ordinal;
