-- Keeps what a version of a price book tells requests apart by; each once.
-- $1 text book
-- $2 integer version
-- $3 text kind
-- $4 bigint boundary
-- $5 text name of a tag, else ''
INSERT INTO finance.price_distinction (price_book_version_id, kind, boundary, name)
SELECT price_book_version_id, $3::text, $4::bigint, $5::text
  FROM finance.price_book_version WHERE book = $1::text AND version = $2::integer
ON CONFLICT DO NOTHING;
