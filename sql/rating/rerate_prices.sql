-- A published version of a price book, by name and number.
-- $1 text book
-- $2 integer version, 0 for the newest
SELECT price_book_version_id
  FROM finance.price_book_version
 WHERE book = $1::text AND ($2::integer = 0 OR version = $2::integer) ORDER BY version DESC LIMIT 1;
