-- Usage of a month that is on hold, by reason and currency of the tenants, with what it would come to by the average price of its meters in
-- that currency.
-- $1 text period
-- $2 timestamptz where the month ends last
WITH price AS (
	SELECT h.currency, h.meter_id, sum(h.amount) / sum(h.quantity) AS price
	  FROM finance.rating_in_force f JOIN finance.charge h USING (rating_id)
	 WHERE f.period = $1::text AND h.meter_id <> 0 GROUP BY h.currency, h.meter_id HAVING sum(h.quantity) > 0
)
SELECT count(*) || CASE count(*) WHEN 1 THEN ' hold' ELSE ' holds' END || ' of ' || count(DISTINCT f.tenant) ||
       CASE count(DISTINCT f.tenant) WHEN 1 THEN ' tenant: ' ELSE ' tenants: ' END || h.reason ||
       CASE WHEN c.currency IS NULL THEN ', without a contract'
            WHEN p.price IS NULL THEN ', of meters that nothing in the month was priced by'
            ELSE '; estimated by average prices' END,
       round(sum(h.quantity * p.price), 6), COALESCE(c.currency, '')
  FROM finance.rating_in_force f
  JOIN finance.hold h USING (rating_id)
  LEFT JOIN LATERAL (
	SELECT currency FROM finance.contract WHERE tenant = f.tenant AND effective < $2::timestamptz ORDER BY effective DESC LIMIT 1) c ON true
  LEFT JOIN price p ON p.currency = c.currency AND p.meter_id = h.meter_id
 WHERE f.period = $1::text
 GROUP BY h.reason, c.currency, p.price IS NULL
 ORDER BY h.reason, c.currency, p.price IS NULL;
