-- The adjustments that wait for the next invoice of a draft's tenant and currency and are on no draft: what is to pay first, then what
-- is owed to the tenant.  Only those of periods whose invoice (else whose contract) has the draft's issuer and tax: what one
-- company charged at one rate, no other company puts right at another.
-- $1 bigint invoice
SELECT w.adjustment_id, w.amount_minor, w.exact_amount
  FROM finance.invoice v
  JOIN finance.adjustment_waiting w ON w.tenant = v.tenant AND w.currency = v.currency
  JOIN finance.billing_period p ON p.tenant = w.tenant AND p.period = w.original_period
 CROSS JOIN LATERAL (
	SELECT t.issuer, t.tax_name, t.tax_percent
	  FROM (SELECT y.issuer, y.tax_name, y.tax_percent, 'infinity'::timestamptz AS since
	          FROM finance.invoiced_period i JOIN finance.invoice y USING (invoice_id) WHERE i.tenant = w.tenant AND i.period = w.original_period
	        UNION ALL
	        SELECT c.issuer, c.tax_name, c.tax_percent, c.effective FROM finance.contract c WHERE c.tenant = w.tenant AND c.effective < p.ends) t
	 ORDER BY t.since DESC LIMIT 1) o
 WHERE v.invoice_id = $1::bigint AND o.issuer = v.issuer AND o.tax_name = v.tax_name AND o.tax_percent = v.tax_percent
   AND NOT EXISTS (SELECT FROM finance.invoice_line l JOIN finance.invoice d USING (invoice_id)
                    WHERE l.adjustment_id = w.adjustment_id AND d.status = 'draft')
 ORDER BY w.amount_minor < 0, w.original_period, w.adjustment_id;
