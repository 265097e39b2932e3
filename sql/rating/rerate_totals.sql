-- What a re-rate comes to in each currency: before, after, difference, what goes up and what goes down; and how many closed periods it touches.
-- $1 bigint re-rate
SELECT currency, finance.amount_shown(sum(old_amount), minor_units), finance.amount_shown(sum(new_amount), minor_units),
       finance.amount_shown(sum(new_amount - old_amount), minor_units), finance.amount_shown(sum(up), minor_units),
       finance.amount_shown(sum(down), minor_units), count(*), count(*) FILTER (WHERE closed AND (up <> 0 OR down <> 0))
  FROM finance.rerate_item
 WHERE rerate_id = $1::bigint AND currency <> ''
 GROUP BY currency, minor_units ORDER BY currency;
