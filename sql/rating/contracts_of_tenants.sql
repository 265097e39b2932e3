-- The contracts of tenants, tenant by tenant, version by version.
-- $1 text[] tenants
SELECT p.place, c.contract_id, (extract(epoch FROM c.effective) * 1000000)::bigint, c.currency, c.zone, c.book, c.override, c.terms,
       (extract(epoch FROM c.until) * 1000000)::bigint
  FROM unnest($1::text[]) WITH ORDINALITY AS p (tenant, place)
  JOIN finance.contract c ON c.tenant = p.tenant
 ORDER BY p.place, c.effective;
