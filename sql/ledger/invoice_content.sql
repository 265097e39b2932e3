-- What an invoice says in its header, for its digest; what headers did not say at first stands behind the first 13 columns.
-- $1 bigint invoice
SELECT tenant, period, rating_id, issuer, issuer_name, tenant_name, currency, minor_units, zone, starts, ends, total_minor, exact_total,
       kind, credits_minor, tax_name, trim_scale(tax_percent), tax_minor, rating_run,
       tax_name <> '' OR tax_percent <> 0 OR tax_minor <> 0
  FROM finance.invoice WHERE invoice_id = $1::bigint;
