-- Where a price book file belongs among the published versions of its book; see find_place() in rating/cmd_prices.c.
-- $1 text book
-- $2 bytea SHA-256 of the file
-- $3 timestamptz its effective instant
SELECT COALESCE(max(version), 0) + 1, COALESCE(max(currency), ''),
       COALESCE(max(version) FILTER (WHERE digest = $2::bytea), 0),
       COALESCE(to_char(max(effective) FILTER (WHERE effective >= $3::timestamptz), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ''),
       COALESCE(max(version) FILTER (WHERE effective >= $3::timestamptz), 0)
  FROM finance.price_book_version
 WHERE book = $1::text;
