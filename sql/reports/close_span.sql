-- A month from where it begins first to where it ends last, by the zones and anchors of tenants, and in UTC; and its end with grace.
-- $1 text period
-- $2 integer hours of grace
SELECT b.starts, b.ends, b.ends + make_interval(hours => $2::integer)
  FROM (SELECT min(starts) AS starts, max(ends) AS ends
          FROM (SELECT p.starts, p.ends FROM finance.billing_period p WHERE p.period = $1::text
                UNION ALL
                SELECT finance.period_begin(($1::text || '-01')::timestamp, z.anchor, z.zone),
                       finance.period_begin(($1::text || '-01')::timestamp + interval '1 month', z.anchor, z.zone)
                  FROM (SELECT 'UTC' AS zone, 1::smallint AS anchor UNION SELECT zone, anchor FROM finance.contract) z) x) b;
