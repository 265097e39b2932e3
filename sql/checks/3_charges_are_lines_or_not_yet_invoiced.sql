-- the charges in force of an invoiced period that was not re-rated since, one by one = its lines
-- (of periods from tollbook.check_from on; reports/check_scope.sql sets it.)
WITH claimed AS (
	SELECT v.invoice_id, c.tenant, c.period
	  FROM finance.invoiced_period c
	  JOIN finance.invoice v USING (invoice_id)
	 WHERE c.period >= COALESCE(current_setting('tollbook.check_from', true), '')
	   AND NOT EXISTS (SELECT FROM finance.adjustment a WHERE a.tenant = c.tenant AND a.original_period = c.period)
	   AND NOT EXISTS (SELECT FROM finance.rerate_item i JOIN finance.rerate_decision d ON d.rerate_id = i.rerate_id AND d.decision = 'applied'
	                    WHERE i.tenant = c.tenant AND i.period = c.period)
), charged AS (
	SELECT c.invoice_id, h.ordinal, h.model, h.service_tier, h.tier, h.rule, h.price, h.per, h.quantity, h.amount, h.kind,
	       COALESCE(h.billed, h.quantity) AS billed, h.detail
	  FROM claimed c
	  JOIN finance.rating_in_force f ON f.tenant = c.tenant AND f.period = c.period
	  JOIN finance.charge h ON h.rating_id = f.rating_id
	 WHERE h.price <> 0
), invoiced AS (
	SELECT l.invoice_id, l.charge_ordinal AS ordinal, l.model COLLATE "C" AS model, l.service_tier COLLATE "C" AS service_tier, l.tier, l.rule,
	       l.price, l.per, l.quantity, l.exact_amount AS amount, l.kind, COALESCE(l.billed, l.quantity) AS billed, l.detail
	  FROM claimed c
	  JOIN finance.invoice_line l USING (invoice_id)
	 WHERE l.adjustment_id IS NULL
)
SELECT v.tenant, v.period, v.number, ordinal AS charge, COALESCE(c.amount, 0) AS charged, COALESCE(l.amount, 0) AS invoiced
  FROM charged c
  FULL JOIN invoiced l USING (invoice_id, ordinal)
  JOIN finance.invoice v USING (invoice_id)
 WHERE (c.model, c.service_tier, c.tier, c.rule, c.price, c.per, c.quantity, c.amount, c.kind, c.billed, c.detail)
       IS DISTINCT FROM (l.model, l.service_tier, l.tier, l.rule, l.price, l.per, l.quantity, l.amount, l.kind, l.billed, l.detail);
