-- Published price books.
SELECT book, version, currency, to_char(effective, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(published_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       published_by, encode(digest, 'hex')
  FROM finance.price_book_version ORDER BY book, version;
