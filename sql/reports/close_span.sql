-- A month from where it begins first to where it ends last, of the zones that tenants are in, and UTC; and its end with grace.
-- $1 text period
-- $2 integer hours of grace
SELECT b.starts, b.ends, b.ends + make_interval(hours => $2::integer)
  FROM (SELECT min(starts) AS starts, max(ends) AS ends
          FROM (SELECT p.starts, p.ends FROM finance.billing_period p WHERE p.period = $1::text
                UNION ALL
                SELECT ($1::text || '-01')::timestamp AT TIME ZONE z.zone, (($1::text || '-01')::timestamp + interval '1 month') AT TIME ZONE z.zone
                  FROM (SELECT 'UTC' AS zone UNION SELECT zone FROM finance.contract) z) x) b;
