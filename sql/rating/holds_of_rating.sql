-- The holds of a rating, to be digested as they were written.
-- $1 bigint rating
SELECT model, service_tier, meter_id, reason, quantity, (extract(epoch FROM first_interval) * 1000000)::bigint,
       (extract(epoch FROM last_interval) * 1000000)::bigint
  FROM finance.hold WHERE rating_id = $1::bigint ORDER BY ordinal;
