-- The published price books that a period's charges in force were priced by, and those that these extend.
-- $1 text  period, YYYY-MM
-- $2 text  tenant, '' for all
WITH RECURSIVE used AS (
	SELECT b.price_book_version_id, b.document
	  FROM finance.price_book_version b
	 WHERE b.price_book_version_id IN (
		SELECT c.price_book_version_id
		  FROM finance.current_rating r JOIN finance.charge c USING (rating_id)
		 WHERE r.period = $1::text AND $2::text IN ('', r.tenant))
	UNION
	SELECT b.price_book_version_id, b.document
	  FROM used u
	 CROSS JOIN LATERAL (SELECT u.document::jsonb -> 'extends' AS extends) d
	  JOIN finance.price_book_version b ON b.book = d.extends ->> 'book' AND b.version = (d.extends ->> 'version')::integer
)
SELECT b.book, b.version, b.currency, (extract(epoch FROM b.effective) * 1000000)::bigint, encode(b.digest, 'hex')
  FROM finance.price_book_version b
 WHERE b.price_book_version_id IN (SELECT price_book_version_id FROM used)
 ORDER BY b.book, b.version;
