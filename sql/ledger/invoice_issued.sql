-- Final invoices by their numbers, in the order of the list, with the columns of invoice_find.sql: what is due is the total, and there is no
-- standing.
-- $1 text[] numbers
SELECT v.invoice_id, v.number, v.status, v.tenant, v.tenant_name, v.issuer, v.issuer_name, v.period, v.zone,
       to_char(v.starts, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(v.ends, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), v.currency, v.minor_units, v.total_minor,
       trim_scale(v.exact_total), v.issued_on, encode(v.content_digest, 'hex'), v.rating_id,
       v.kind, v.net_minor, v.credits_minor, v.tax_name, trim_scale(v.tax_percent), v.tax_minor, v.total_minor, '',
       COALESCE(v.rating_run::text, '')
  FROM unnest($1::text[]) WITH ORDINALITY AS o (number, place)
  JOIN finance.invoice v ON v.number = o.number
 ORDER BY o.place;
