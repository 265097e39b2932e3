-- each published price book = its digest
SELECT book, version, encode(digest, 'hex') AS published, encode(sha256(convert_to(document, 'UTF8')), 'hex') AS kept
  FROM finance.price_book_version
 WHERE digest <> sha256(convert_to(document, 'UTF8'));
