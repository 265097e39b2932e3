-- The stored charges of a rating, in their order, each with the version of the price book it is from.
-- $1 bigint rating
SELECT c.amount, CASE WHEN b.book IS NULL THEN '' ELSE b.book || '@' || b.version END
  FROM finance.charge c
  LEFT JOIN finance.price_book_version b USING (price_book_version_id)
 WHERE c.rating_id = $1::bigint
 ORDER BY c.ordinal;
