-- Marks periods that have begun, are not rated yet and have a contract with terms: fees and minimums are owed without usage, too.
-- $1 bigint the newest contract that counts
-- $2 timestamptz now
INSERT INTO finance.rating_due (tenant, period)
SELECT DISTINCT c.tenant, to_char(m.month, 'YYYY-MM')
  FROM (SELECT tenant, zone, anchor, terms, effective, LEAST(until, lead(effective) OVER (PARTITION BY tenant ORDER BY effective)) AS until
          FROM finance.contract WHERE contract_id <= $1::bigint) c
 CROSS JOIN LATERAL generate_series(finance.period_month(c.effective, c.anchor, c.zone),
       finance.period_month($2::timestamptz, c.anchor, c.zone), interval '1 month') AS m (month)
 WHERE c.terms <> '' AND c.effective < COALESCE(c.until, 'infinity')
   AND finance.period_begin(m.month, c.anchor, c.zone) < COALESCE(c.until, 'infinity')
   AND NOT EXISTS (SELECT FROM finance.rating_in_force f WHERE f.tenant = c.tenant AND f.period = to_char(m.month, 'YYYY-MM'))
ON CONFLICT DO NOTHING;
