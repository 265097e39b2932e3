-- Settles the borders of the periods due, from the zone data of today, for ever (provisionally without a contract).  A border that
-- the period before or after was settled with stays: with newer zone data a quarter of an hour would be in both periods or in none.
-- $1 bigint the newest contract that counts
INSERT INTO finance.billing_period (tenant, period, starts, ends, zone, provisional)
SELECT n.tenant, n.period, COALESCE(before.ends, finance.period_begin(n.month, n.anchor, n.zone)),
       COALESCE(after.starts, finance.period_begin(n.month + interval '1 month', n.anchor, n.zone)), n.zone, n.provisional
  FROM (SELECT d.tenant, d.period, (d.period || '-01')::timestamp AS month, COALESCE(c.zone, 'UTC') AS zone,
               COALESCE(c.anchor, 1::smallint) AS anchor, c.zone IS NULL AS provisional
          FROM finance.rating_due d
          LEFT JOIN (SELECT DISTINCT ON (tenant) tenant, zone, anchor FROM finance.contract WHERE contract_id <= $1::bigint
                      ORDER BY tenant, effective) c ON c.tenant = d.tenant) n
  LEFT JOIN finance.billing_period before ON before.tenant = n.tenant AND before.period = to_char(n.month - interval '1 month', 'YYYY-MM')
  LEFT JOIN finance.billing_period after ON after.tenant = n.tenant AND after.period = to_char(n.month + interval '1 month', 'YYYY-MM')
ON CONFLICT (tenant, period) DO NOTHING;
