-- The header of a draft of adjustments alone: of the period that it is now by the contract's anchor and zone, with its parties and tax.
-- $1 bigint contract
-- $2 smallint minor units of the currency
-- $3 timestamptz now
-- $4 text by whom
INSERT INTO finance.invoice (status, kind, tenant, period, issuer, issuer_name, tenant_name, currency, minor_units, zone, starts, ends,
       tax_name, tax_percent, total_minor, exact_total, drafted_at, drafted_by)
SELECT 'draft', 'adjustment', c.tenant, m.period, c.issuer, s.name, c.name, c.currency, $2::smallint, COALESCE(p.zone, c.zone),
       COALESCE(p.starts, finance.period_begin(m.month, c.anchor, c.zone)),
       COALESCE(p.ends, finance.period_begin(m.month + interval '1 month', c.anchor, c.zone)),
       c.tax_name, c.tax_percent, 0, 0, $3::timestamptz, $4::text
  FROM finance.contract c
  JOIN finance.issuer s USING (issuer)
 CROSS JOIN LATERAL (SELECT finance.period_month($3::timestamptz, c.anchor, c.zone) AS month,
                            to_char(finance.period_month($3::timestamptz, c.anchor, c.zone), 'YYYY-MM') AS period) m
  LEFT JOIN finance.billing_period p ON p.tenant = c.tenant AND p.period = m.period
 WHERE c.contract_id = $1::bigint
RETURNING invoice_id, tax_percent;
