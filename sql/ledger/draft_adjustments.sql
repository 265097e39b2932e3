-- The adjustments that wait for the next invoice of tenants, each in a currency, and are on no draft: what is to pay first, then what is
-- owed to the tenant.  Only those of periods whose invoice (else whose contract) has the issuer and the tax of the draft to be: what one
-- company charged at one rate, no other company puts right at another.
-- $1 text[] tenants, each once
-- $2 text[] currencies
-- $3 text[] issuers
-- $4 text[] names of taxes
-- $5 numeric[] percentages
SELECT d.place, w.adjustment_id, w.amount_minor, w.exact_amount
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::numeric[]) WITH ORDINALITY AS d (tenant, currency, issuer, tax_name, tax_percent, place)
  JOIN finance.adjustment_waiting w ON w.tenant = d.tenant AND w.currency = d.currency
  JOIN finance.period_party o ON o.tenant = w.tenant AND o.period = w.original_period
 WHERE o.issuer = d.issuer AND o.tax_name = d.tax_name AND o.tax_percent = d.tax_percent
   AND NOT EXISTS (SELECT FROM finance.invoice_line l
                    WHERE l.adjustment_id = w.adjustment_id
                      AND (SELECT v.status FROM finance.invoice v WHERE v.invoice_id = l.invoice_id) = 'draft')
 ORDER BY d.place, w.amount_minor < 0, w.original_period, w.adjustment_id;
