-- Settles the borders of the periods due, from the zone data of today, for ever (provisionally without a contract).
INSERT INTO finance.billing_period (tenant, period, starts, ends, zone, provisional)
SELECT d.tenant, d.period,
       (d.period || '-01')::timestamp AT TIME ZONE COALESCE(c.zone, 'UTC'),
       ((d.period || '-01')::timestamp + interval '1 month') AT TIME ZONE COALESCE(c.zone, 'UTC'),
       COALESCE(c.zone, 'UTC'), c.zone IS NULL
  FROM finance.rating_due d
  LEFT JOIN (SELECT DISTINCT ON (tenant) tenant, zone FROM finance.contract ORDER BY tenant, effective) c ON c.tenant = d.tenant
ON CONFLICT (tenant, period) DO NOTHING;
