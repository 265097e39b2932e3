-- Every version of every price book.
SELECT book, version, currency, to_char(effective, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), encode(digest, 'hex')
  FROM finance.price_book_version ORDER BY book, version;
