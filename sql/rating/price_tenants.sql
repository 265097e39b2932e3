-- Tenants whose contract names a price book at a time of a period, with the borders of their period.
-- $1 text period
-- $2 text the book, as "book" or as "override" of a contract
WITH terms AS (
	SELECT tenant, book, override, effective,
	       LEAST(until, lead(effective, 1, 'infinity') OVER (PARTITION BY tenant ORDER BY effective)) AS ends
	  FROM finance.contract
)
SELECT p.tenant, (extract(epoch FROM p.starts) * 1000000)::bigint, (extract(epoch FROM p.ends) * 1000000)::bigint
  FROM finance.billing_period p
 WHERE p.period = $1::text
   AND EXISTS (SELECT FROM terms t
                WHERE t.tenant = p.tenant AND (t.book = $2::text OR t.override = $2::text) AND t.effective < p.ends AND t.ends > p.starts AND t.ends > t.effective)
 ORDER BY p.tenant;
