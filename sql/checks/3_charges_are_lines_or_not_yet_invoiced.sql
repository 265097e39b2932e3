-- the charges in force of an invoiced period, one by one = its lines
WITH charged AS (
	SELECT v.invoice_id, h.ordinal, h.model, h.service_tier, h.tier, h.rule, h.price, h.per, h.quantity, h.amount, h.kind,
	       COALESCE(h.billed, h.quantity) AS billed, h.detail
	  FROM finance.invoice v
	  JOIN finance.rating_in_force f ON f.tenant = v.tenant AND f.period = v.period
	  JOIN finance.charge h ON h.rating_id = f.rating_id
	 WHERE v.status = 'final' AND h.price <> 0
), invoiced AS (
	SELECT l.invoice_id, l.charge_ordinal AS ordinal, l.model COLLATE "C" AS model, l.service_tier COLLATE "C" AS service_tier, l.tier, l.rule,
	       l.price, l.per, l.quantity, l.exact_amount AS amount, l.kind, COALESCE(l.billed, l.quantity) AS billed, l.detail
	  FROM finance.invoice v
	  JOIN finance.invoice_line l USING (invoice_id)
	 WHERE v.status = 'final'
)
SELECT v.tenant, v.period, v.number, ordinal AS charge, COALESCE(c.amount, 0) AS charged, COALESCE(l.amount, 0) AS invoiced
  FROM charged c
  FULL JOIN invoiced l USING (invoice_id, ordinal)
  JOIN finance.invoice v USING (invoice_id)
 WHERE (c.model, c.service_tier, c.tier, c.rule, c.price, c.per, c.quantity, c.amount, c.kind, c.billed, c.detail)
       IS DISTINCT FROM (l.model, l.service_tier, l.tier, l.rule, l.price, l.per, l.quantity, l.amount, l.kind, l.billed, l.detail);
