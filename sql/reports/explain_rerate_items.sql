-- What a re-rate changes: the periods of tenants, from which rating to which, and the sum that was booked for each.
-- $1 bigint re-rate
-- $2 integer place, NULL for all
SELECT i.place, i.tenant, i.period, i.closed, i.document, i.currency, finance.amount_shown(i.old_amount, i.minor_units),
       finance.amount_shown(i.new_amount, i.minor_units), finance.amount_shown(i.new_amount - i.old_amount, i.minor_units),
       finance.amount_shown(i.up, i.minor_units), finance.amount_shown(i.down, i.minor_units), i.old_rating_id, n.rating_id,
       round(b.minor * 10::numeric ^ -i.minor_units, i.minor_units),
       d.amount IS NOT DISTINCT FROM i.new_amount - i.old_amount
  FROM finance.rerate_item i
  LEFT JOIN finance.rerate_decision a ON a.rerate_id = i.rerate_id AND a.decision = 'applied'
  LEFT JOIN finance.rating n ON n.rating_run = a.rating_run AND n.tenant = i.tenant AND n.period = i.period
 CROSS JOIN LATERAL (SELECT sum(amount_minor) AS minor FROM finance.adjustment j
                      WHERE j.rerate_id = i.rerate_id AND j.tenant = i.tenant AND j.original_period = i.period) b
 CROSS JOIN LATERAL (SELECT COALESCE(sum(f.new_amount - f.old_amount), 0) AS amount FROM finance.rerate_difference f
                      WHERE f.rerate_id = i.rerate_id AND f.place = i.place) d
 WHERE i.rerate_id = $1::bigint AND ($2::integer IS NULL OR i.place = $2::integer)
 ORDER BY i.place;
