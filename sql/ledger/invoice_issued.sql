-- One final invoice by its number, with the columns of invoice_find.sql: what is due is its total, and it has no standing.
-- $1 text number
SELECT v.invoice_id, v.number, v.status, v.tenant, v.tenant_name, v.issuer, v.issuer_name, v.period, v.zone,
       to_char(v.starts, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(v.ends, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), v.currency, v.minor_units, v.total_minor,
       trim_scale(v.exact_total), v.issued_on, encode(v.content_digest, 'hex'), v.rating_id,
       v.kind, v.net_minor, v.credits_minor, v.tax_name, trim_scale(v.tax_percent), v.tax_minor, v.total_minor, '',
       COALESCE(v.rating_run::text, '')
  FROM finance.invoice v
 WHERE v.number = $1::text;
