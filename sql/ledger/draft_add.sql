-- The header of a draft; parties and tax are copied in from the last contract that began before the period's end.
-- $1 bigint rating
-- $2 smallint minor units of the currency
-- $3 timestamptz when
-- $4 text by whom
INSERT INTO finance.invoice (status, kind, tenant, period, rating_id, rating_run, issuer, issuer_name, tenant_name, currency, minor_units, zone,
       starts, ends, tax_name, tax_percent, total_minor, exact_total, drafted_at, drafted_by)
SELECT 'draft', 'period', r.tenant, r.period, r.rating_id, r.rating_run, c.issuer, s.name, c.name, c.currency, $2::smallint, p.zone,
       p.starts, p.ends, c.tax_name, c.tax_percent, 0, 0, $3::timestamptz, $4::text
  FROM finance.rating r
  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
  JOIN LATERAL (SELECT * FROM finance.contract WHERE tenant = r.tenant AND effective < p.ends ORDER BY effective DESC LIMIT 1) c ON true
  JOIN finance.issuer s ON s.issuer = c.issuer
 WHERE r.rating_id = $1::bigint
RETURNING invoice_id, tax_percent;
