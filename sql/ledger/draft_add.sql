-- The headers of drafts, in the order of the list; parties and tax are copied in from the last contract that began before the period's end.
-- $1 bigint[] ratings
-- $2 smallint[] minor units of the currencies
-- $3 bigint[] tax in minor units
-- $4 bigint[] totals in minor units, with the tax
-- $5 numeric[] sums of the lines before rounding
-- $6 timestamptz when
-- $7 text by whom
INSERT INTO finance.invoice (status, kind, tenant, period, rating_id, rating_run, issuer, issuer_name, tenant_name, currency, minor_units, zone,
       starts, ends, tax_name, tax_percent, tax_minor, total_minor, exact_total, drafted_at, drafted_by)
SELECT 'draft', 'period', r.tenant, r.period, r.rating_id, r.rating_run, c.issuer, s.name, c.name, c.currency, d.minor_units, p.zone,
       p.starts, p.ends, c.tax_name, c.tax_percent, d.tax_minor, d.total_minor, d.exact_total, $6::timestamptz, $7::text
  FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::numeric[])
       WITH ORDINALITY AS d (rating_id, minor_units, tax_minor, total_minor, exact_total, place)
  JOIN finance.rating r ON r.rating_id = d.rating_id
  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
  JOIN LATERAL (SELECT * FROM finance.contract WHERE tenant = r.tenant AND effective < p.ends ORDER BY effective DESC LIMIT 1) c ON true
  JOIN finance.issuer s ON s.issuer = c.issuer
 ORDER BY d.place
RETURNING invoice_id, tenant;
