-- The periods of a re-rate whose rating in force is not the one it was planned from.
-- $1 bigint re-rate
SELECT i.tenant, i.period
  FROM finance.rerate_item i
  LEFT JOIN finance.rating_in_force f ON f.tenant = i.tenant AND f.period = i.period AND f.rating_id = i.old_rating_id
 WHERE i.rerate_id = $1::bigint AND f.rating_id IS NULL
 ORDER BY i.place;
