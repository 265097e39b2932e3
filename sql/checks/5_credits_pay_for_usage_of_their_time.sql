-- what a credit paid for was used while it was valid, and by meters that it is for
SELECT g.grant_id AS credit, v.number, l.line, g.starts, g.expires, t.first_interval AS used_from, t.last_interval AS used_until, l.meter
  FROM finance.credit_use_line u
  JOIN finance.credit_entry e USING (entry_id)
  JOIN finance.credit_grant g USING (grant_id)
  JOIN finance.invoice_line l ON l.invoice_id = u.invoice_id AND l.line = u.line
  JOIN finance.invoice v ON v.invoice_id = u.invoice_id
  LEFT JOIN finance.charge h ON l.adjustment_id IS NULL AND h.rating_id = v.rating_id AND h.ordinal = l.charge_ordinal
  LEFT JOIN finance.adjustment a ON a.adjustment_id = l.adjustment_id
 CROSS JOIN LATERAL (
	SELECT COALESCE(h.first_interval, a.first_interval) AS first_interval, COALESCE(h.last_interval, a.last_interval) AS last_interval) t
 WHERE t.first_interval IS NULL OR t.last_interval + interval '15 minutes' <= g.starts OR t.first_interval >= g.expires
    OR (cardinality(g.meters) > 0 AND NOT l.meter = ANY (g.meters)) OR (g.model_pattern <> '' AND l.model = '');
