-- Every series with its digest, hexadecimal, and its fields in the order of series_fields.def.
SELECT series_id, replace(digest::text, '-', ''), tenant, model, base_model, adapter_kind, adapter, provider, operation, service_tier,
       speed, region, deployment, status, served_from, method, project, api_key
  FROM metering.usage_series ORDER BY series_id;
