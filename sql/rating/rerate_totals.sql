-- What a re-rate comes to in each currency: before, after, difference, what goes up and what goes down; and how many closed periods it touches.
-- $1 bigint re-rate
SELECT currency, trim_scale(sum(old_amount)), trim_scale(sum(new_amount)), trim_scale(sum(new_amount - old_amount)), trim_scale(sum(up)),
       trim_scale(sum(down)), count(*), count(*) FILTER (WHERE closed AND (up <> 0 OR down <> 0))
  FROM finance.rerate_item
 WHERE rerate_id = $1::bigint AND currency <> ''
 GROUP BY currency ORDER BY currency;
