-- Drafts of periods whose grace is over, with the highest net of their tenant's last three invoices of periods in that currency (final ones that
-- are not credited in full, and drafts of earlier periods, which are due as well; NULL without one), and how many these are.
-- $1 timestamptz now
-- $2 integer hours of grace where the contract says none
SELECT v.tenant, v.period, v.currency, v.minor_units, v.net_minor, h.highest, h.invoices
  FROM finance.invoice v
  LEFT JOIN LATERAL (
	SELECT grace_hours FROM finance.contract WHERE tenant = v.tenant AND effective < v.ends ORDER BY effective DESC LIMIT 1) c ON true
 CROSS JOIN LATERAL (
	SELECT max(l.net_minor) AS highest, count(*) AS invoices
	  FROM (SELECT i.net_minor FROM finance.invoice i
	         WHERE i.tenant = v.tenant AND i.kind = 'period' AND (i.status = 'final' OR i.ends < v.ends) AND i.currency = v.currency
	           AND NOT EXISTS (SELECT FROM finance.credit_note n WHERE n.invoice_id = i.invoice_id AND n.scope = 'full')
	         ORDER BY i.ends DESC LIMIT 3) l) h
 WHERE v.status = 'draft' AND v.kind = 'period' AND v.ends + interval '1 hour' * COALESCE(c.grace_hours, $2::integer) <= $1::timestamptz
 ORDER BY v.tenant, v.period;
