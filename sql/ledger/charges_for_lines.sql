-- The charges of a rating that make lines, in the order they are printed; a price of zero makes none.
-- $1 bigint rating
SELECT ordinal, amount FROM finance.charge WHERE rating_id = $1::bigint AND price <> 0 ORDER BY ordinal;
