-- What an invoice says in its header, for its digest.
-- $1 bigint invoice
SELECT tenant, period, rating_id, issuer, issuer_name, tenant_name, currency, minor_units, zone, starts, ends, total_minor, exact_total
  FROM finance.invoice WHERE invoice_id = $1::bigint;
