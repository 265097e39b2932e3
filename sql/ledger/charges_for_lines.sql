-- The charges of ratings that make lines, in the order of the list and as they are printed; a price of zero makes none.
-- $1 bigint[] ratings
SELECT o.place, h.ordinal, h.amount
  FROM unnest($1::bigint[]) WITH ORDINALITY AS o (rating_id, place)
  JOIN finance.charge h ON h.rating_id = o.rating_id AND h.price <> 0
 ORDER BY o.place, h.ordinal;
