-- Usage on hold, with what it would come to.
WITH held AS MATERIALIZED (
	SELECT * FROM finance.held
)
SELECT 'held', fact, label, value
  FROM (SELECT 1 AS place, 'holds' AS fact, '' AS label, count(*)::text AS value FROM held
        UNION ALL SELECT 2, 'tenant_periods', '', count(DISTINCT (tenant, period))::text FROM held
        UNION ALL SELECT 3, 'worth', currency, round(sum(worth), 6)::text FROM held WHERE worth IS NOT NULL GROUP BY currency
        UNION ALL SELECT 4, 'unknown_worth', '', count(*)::text FROM held WHERE worth IS NULL) x
 ORDER BY place, label COLLATE "C";
