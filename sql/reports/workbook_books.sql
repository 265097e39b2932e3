-- The published price books that a period's charges in force were priced by.
-- $1 text  period, YYYY-MM
-- $2 text  tenant, '' for all
SELECT b.book, b.version, b.currency, (extract(epoch FROM b.effective) * 1000000)::bigint, encode(b.digest, 'hex')
  FROM finance.price_book_version b
 WHERE b.price_book_version_id IN (
	SELECT c.price_book_version_id
	  FROM finance.current_rating r JOIN finance.charge c USING (rating_id)
	 WHERE r.period = $1::text AND $2::text IN ('', r.tenant))
 ORDER BY b.book, b.version;
