-- The number of a series, made if it is new; no row when another process is making it at this moment: ask again.
-- $1 uuid first half of the SHA-256 of its fields, hexadecimal
-- $2..$17 text the fields of series_fields.def, '' for "not stated"
WITH made AS (
	INSERT INTO metering.usage_series (digest, tenant, model, base_model, adapter_kind, adapter, provider, operation,
	       service_tier, speed, region, deployment, status, served_from, method, project, api_key)
	VALUES ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text,
	       $9::text, $10::text, $11::text, $12::text, $13::text, $14::text, $15::text, $16::text, $17::text)
	ON CONFLICT (digest) DO NOTHING
	RETURNING series_id
)
SELECT series_id FROM metering.usage_series WHERE digest = $1::uuid
UNION ALL
SELECT series_id FROM made
LIMIT 1;
