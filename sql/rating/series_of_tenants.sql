-- What the usage of tenants is attributed to, tenant by tenant.
-- $1 text[] tenants
SELECT p.place, s.series_id, s.model, s.base_model, s.service_tier, s.adapter_kind, s.adapter, s.provider, s.operation, s.region, s.speed,
       s.deployment, s.project, s.api_key, s.status = 'aborted'
  FROM unnest($1::text[]) WITH ORDINALITY AS p (tenant, place)
  JOIN metering.usage_series s ON s.tenant = p.tenant
 ORDER BY p.place, s.series_id;
