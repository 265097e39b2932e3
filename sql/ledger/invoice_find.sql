-- One invoice: by its number, or a tenant's draft by TENANT:PERIOD.
-- $1 text number, or tenant:period
SELECT v.invoice_id, COALESCE(v.number, ''), v.status, v.tenant, v.tenant_name, v.issuer, v.issuer_name, v.period, v.zone,
       to_char(v.starts, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(v.ends, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), v.currency, v.minor_units, v.total_minor,
       trim_scale(v.exact_total), COALESCE(v.issued_on::text, ''), COALESCE(encode(v.content_digest, 'hex'), ''), v.rating_id
  FROM finance.invoice v
 WHERE v.number = $1::text OR v.tenant || ':' || v.period = $1::text;
