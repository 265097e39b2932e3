-- The headers of drafts of adjustments alone, in the order of the list: of the period that it is now by the contract's anchor and zone, with
-- its parties and tax.
-- $1 bigint[] contracts
-- $2 smallint[] minor units of the currencies
-- $3 bigint[] tax in minor units
-- $4 bigint[] totals in minor units, with the tax
-- $5 numeric[] sums of the lines before rounding
-- $6 timestamptz now
-- $7 text by whom
INSERT INTO finance.invoice (status, kind, tenant, period, issuer, issuer_name, tenant_name, currency, minor_units, zone, starts, ends,
       tax_name, tax_percent, tax_minor, total_minor, exact_total, drafted_at, drafted_by)
SELECT 'draft', 'adjustment', c.tenant, m.period, c.issuer, s.name, c.name, c.currency, d.minor_units, COALESCE(p.zone, c.zone),
       COALESCE(p.starts, finance.period_begin(m.month, c.anchor, c.zone)),
       COALESCE(p.ends, finance.period_begin(m.month + interval '1 month', c.anchor, c.zone)),
       c.tax_name, c.tax_percent, d.tax_minor, d.total_minor, d.exact_total, $6::timestamptz, $7::text
  FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::numeric[])
       WITH ORDINALITY AS d (contract_id, minor_units, tax_minor, total_minor, exact_total, place)
  JOIN finance.contract c ON c.contract_id = d.contract_id
  JOIN finance.issuer s USING (issuer)
 CROSS JOIN LATERAL (SELECT finance.period_month($6::timestamptz, c.anchor, c.zone) AS month,
                            to_char(finance.period_month($6::timestamptz, c.anchor, c.zone), 'YYYY-MM') AS period) m
  LEFT JOIN finance.billing_period p ON p.tenant = c.tenant AND p.period = m.period
 ORDER BY d.place
RETURNING invoice_id, tenant;
