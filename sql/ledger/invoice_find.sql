-- One invoice: by its number, or a tenant's by TENANT:PERIOD: the draft, else the one that has the period, else the newest;
-- TENANT:PERIOD:adjustment is one of adjustments alone.
-- $1 text number, or tenant:period
SELECT v.invoice_id, COALESCE(v.number, ''), v.status, v.tenant, v.tenant_name, v.issuer, v.issuer_name, v.period, v.zone,
       to_char(v.starts, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(v.ends, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), v.currency, v.minor_units, v.total_minor,
       trim_scale(v.exact_total), COALESCE(v.issued_on::text, ''), COALESCE(encode(v.content_digest, 'hex'), ''), v.rating_id,
       v.kind, v.net_minor, v.credits_minor, v.tax_name, trim_scale(v.tax_percent), v.tax_minor, COALESCE(s.due_minor, v.total_minor),
       COALESCE(s.standing, 'draft'), COALESCE(v.rating_run::text, '')
  FROM finance.invoice v
  LEFT JOIN finance.invoice_standing s USING (invoice_id)
  LEFT JOIN finance.invoiced_period p USING (invoice_id)
 WHERE v.number = $1::text OR v.tenant || ':' || v.period = $1::text
    OR (v.kind = 'adjustment' AND v.tenant || ':' || v.period || ':adjustment' = $1::text)
 ORDER BY v.number IS NOT DISTINCT FROM $1::text DESC, v.status = 'draft' DESC, v.kind = 'period' DESC, p.invoice_id IS NOT NULL DESC,
       v.invoice_id DESC
 LIMIT 1;
