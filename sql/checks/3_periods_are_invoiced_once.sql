-- each final invoice that is not credited in full has its tenant's period, alone, and no other invoice does
SELECT COALESCE(c.tenant, v.tenant) AS tenant, COALESCE(c.period, v.period) AS period, v.number,
       CASE WHEN c.invoice_id IS NULL THEN 'does not have its period' ELSE 'has a period that is not its own' END AS difference
  FROM (SELECT v.* FROM finance.invoice v
         WHERE v.kind = 'period' AND v.status = 'final'
           AND NOT EXISTS (SELECT FROM finance.credit_note n WHERE n.invoice_id = v.invoice_id AND n.scope = 'full')) v
  FULL JOIN finance.invoiced_period c USING (invoice_id)
 WHERE (c.tenant, c.period) IS DISTINCT FROM (v.tenant, v.period);
