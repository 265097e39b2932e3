-- The adjustments that wait for the next invoice of a draft's tenant and currency and are on no draft: what is to pay first, then what
-- is owed to the tenant.  Only those of periods whose invoice (else whose contract) has the draft's issuer and tax: what one
-- company charged at one rate, no other company puts right at another.
-- $1 bigint invoice
SELECT w.adjustment_id, w.amount_minor, w.exact_amount
  FROM finance.invoice v
  JOIN finance.adjustment_waiting w ON w.tenant = v.tenant AND w.currency = v.currency
  JOIN finance.period_party o ON o.tenant = w.tenant AND o.period = w.original_period
 WHERE v.invoice_id = $1::bigint AND o.issuer = v.issuer AND o.tax_name = v.tax_name AND o.tax_percent = v.tax_percent
   AND NOT EXISTS (SELECT FROM finance.invoice_line l JOIN finance.invoice d USING (invoice_id)
                    WHERE l.adjustment_id = w.adjustment_id AND d.status = 'draft')
 ORDER BY w.amount_minor < 0, w.original_period, w.adjustment_id;
