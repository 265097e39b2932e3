-- each line of an adjustment, on an invoice or a credit note, = the adjustment; and what takes one back = its opposite
SELECT a.adjustment_id AS adjustment, a.tenant, v.tenant || ':' || v.period || ' ' || COALESCE(v.number, 'draft') AS document, l.line AS place,
       l.amount_minor AS amount, a.amount_minor AS booked
  FROM finance.invoice_line l
  JOIN finance.adjustment a USING (adjustment_id)
  JOIN finance.invoice v ON v.invoice_id = l.invoice_id
  LEFT JOIN metering.meter m ON m.name = l.meter COLLATE "C"
 WHERE (l.amount_minor, l.exact_amount, l.quantity, l.kind COLLATE "C", l.model COLLATE "C", l.service_tier COLLATE "C", COALESCE(m.meter_id, 0))
       IS DISTINCT FROM (a.amount_minor, a.exact_amount, a.quantity, a.kind, a.model, a.service_tier, a.meter_id)
UNION ALL
SELECT a.adjustment_id, a.tenant, n.number, l.place, l.amount_minor, a.amount_minor
  FROM finance.credit_note_line l
  JOIN finance.adjustment a USING (adjustment_id)
  JOIN finance.credit_note n USING (credit_note_id)
 WHERE l.amount_minor <> -a.amount_minor OR n.tenant <> a.tenant
UNION ALL
SELECT b.adjustment_id, b.tenant, 'takes back ' || a.adjustment_id, NULL, b.amount_minor, a.amount_minor
  FROM finance.adjustment b
  JOIN finance.adjustment a ON a.adjustment_id = b.reverses
 WHERE (b.tenant, b.original_period, b.currency, b.kind, b.model, b.service_tier, b.meter_id, b.amount_minor, b.exact_amount, b.quantity)
       IS DISTINCT FROM (a.tenant, a.original_period, a.currency, a.kind, a.model, a.service_tier, a.meter_id, -a.amount_minor,
                         -a.exact_amount, -a.quantity);
