-- Publishes a version of a price book.  Whoever does has the lock of terms: numbers have no gaps, and digests of ratings, which have them in
-- them, do not tell how often a publisher was interrupted.
-- $1 text book
-- $2 integer version
-- $3 text currency
-- $4 timestamptz effective
-- $5 text the file
-- $6 bytea its SHA-256
-- $7 timestamptz when
-- $8 text by whom
INSERT INTO finance.price_book_version (price_book_version_id, book, version, currency, effective, document, digest, published_at, published_by)
OVERRIDING SYSTEM VALUE
SELECT COALESCE(max(price_book_version_id), 0) + 1, $1::text, $2::integer, $3::text, $4::timestamptz, $5::text, $6::bytea, $7::timestamptz, $8::text
  FROM finance.price_book_version;
