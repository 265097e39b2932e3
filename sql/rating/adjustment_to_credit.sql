-- The invoices for which a re-rate gives money back, where the contract in force at the period's end wants a credit note for it.
-- $1 bigint re-rate
SELECT c.invoice_id
  FROM (SELECT tenant, original_period, sum(amount_minor) AS minor
          FROM finance.adjustment WHERE rerate_id = $1::bigint AND outcome = 'next_invoice' GROUP BY tenant, original_period) a
  JOIN finance.invoiced_period c ON c.tenant = a.tenant AND c.period = a.original_period
  JOIN finance.billing_period p ON p.tenant = a.tenant AND p.period = a.original_period
 CROSS JOIN LATERAL (
	SELECT t.terms FROM finance.contract t WHERE t.tenant = a.tenant AND t.effective < p.ends ORDER BY t.effective DESC LIMIT 1) t
 WHERE a.minor < 0 AND NULLIF(t.terms, '')::jsonb #>> '{adjustments,as}' = 'credit_note'
 ORDER BY c.invoice_id;
