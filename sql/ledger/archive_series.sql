-- The series of an archive, in the order of their numbers, with their fields in the order of series_fields.def.
-- $1 bigint archive
SELECT s.series_id, s.tenant, s.model, s.base_model, s.adapter_kind, s.adapter, s.provider, s.operation, s.service_tier,
       s.speed, s.region, s.deployment, s.status, s.served_from, s.method, s.project, s.api_key
  FROM (SELECT DISTINCT series_id FROM metering.archived_interval WHERE archive_id = $1::bigint) a
  JOIN metering.usage_series s USING (series_id)
 ORDER BY s.series_id;
