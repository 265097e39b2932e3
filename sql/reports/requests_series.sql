-- What a tenant's usage is attributed to, as far as prices and contracts look at it: by number, fields in the order of
-- rating/match_fields.def, and whether it was aborted.
-- $1 text tenant
SELECT series_id, model, base_model, service_tier, adapter_kind, adapter, provider, operation, region, speed, deployment, project, api_key,
       status = 'aborted'
  FROM metering.usage_series
 WHERE tenant = $1::text
 ORDER BY series_id;
