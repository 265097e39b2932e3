-- What invoices say in their headers, for their digests, in the order of the list; what headers did not say at first stands behind the
-- first 13 columns.
-- $1 bigint[] invoices
SELECT v.tenant, v.period, v.rating_id, v.issuer, v.issuer_name, v.tenant_name, v.currency, v.minor_units, v.zone, v.starts, v.ends,
       v.total_minor, v.exact_total, v.kind, v.credits_minor, v.tax_name, trim_scale(v.tax_percent), v.tax_minor, v.rating_run,
       v.tax_name <> '' OR v.tax_percent <> 0 OR v.tax_minor <> 0
  FROM unnest($1::bigint[]) WITH ORDINALITY AS o (invoice_id, place)
  JOIN finance.invoice v ON v.invoice_id = o.invoice_id
 ORDER BY o.place;
