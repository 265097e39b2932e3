-- Numbers for ratings; each call gives them in rising order.
-- $1 bigint how many
SELECT nextval('finance.rating_id') FROM generate_series(1, $1::bigint);
