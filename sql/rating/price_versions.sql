-- The published versions of a book, in the order they come into force.
-- $1 text book
SELECT price_book_version_id, version, (extract(epoch FROM effective) * 1000000)::bigint, document
  FROM finance.price_book_version WHERE book = $1::text ORDER BY effective;
