-- each re-rate's differences sum up to what it says of a period, and the adjustments that applying it made come to the same
SELECT i.rerate_id AS rerate, i.tenant, i.period, i.new_amount - i.old_amount AS difference, COALESCE(d.amount, 0) AS by_day,
       CASE WHEN y.rerate_id IS NOT NULL AND i.closed THEN COALESCE(a.amount, 0) END AS adjusted
  FROM finance.rerate_item i
  LEFT JOIN (SELECT rerate_id, place, sum(new_amount - old_amount) AS amount FROM finance.rerate_difference GROUP BY rerate_id, place) d
       USING (rerate_id, place)
  LEFT JOIN (SELECT rerate_id, tenant, original_period AS period, sum(exact_amount) AS amount FROM finance.adjustment
              WHERE rerate_id IS NOT NULL GROUP BY rerate_id, tenant, original_period) a USING (rerate_id, tenant, period)
  LEFT JOIN (SELECT rerate_id FROM finance.rerate_decision WHERE decision = 'applied') y USING (rerate_id)
 WHERE i.new_amount - i.old_amount <> COALESCE(d.amount, 0)
    OR CASE WHEN y.rerate_id IS NULL OR NOT i.closed THEN a.amount IS NOT NULL
            -- what was never booked (rated, but closed without an invoice) is booked as a whole
            ELSE COALESCE(a.amount, 0) NOT IN (i.new_amount - i.old_amount, i.new_amount) END;
