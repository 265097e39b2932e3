-- What a credit note credits: of lines of the invoice, and of adjustments, which are none; `line` leads on.
-- $1 bigint credit note
-- $2 integer place, NULL for all
SELECT c.place, CASE WHEN c.line IS NULL THEN 'adjustment:' || c.adjustment_id ELSE n.invoice_number || '/' || c.line END,
       COALESCE(l.model, a.model), COALESCE(l.service_tier, a.service_tier), COALESCE(l.meter, m.name, ''), COALESCE(l.kind, a.kind),
       round(COALESCE(l.amount_minor, a.amount_minor) * 10::numeric ^ -n.minor_units, n.minor_units),
       round(c.amount_minor * 10::numeric ^ -n.minor_units, n.minor_units), round(c.credits_minor * 10::numeric ^ -n.minor_units, n.minor_units),
       c.line, c.adjustment_id
  FROM finance.credit_note_line c
  JOIN finance.credit_note n USING (credit_note_id)
  LEFT JOIN finance.invoice_line l ON l.invoice_id = c.invoice_id AND l.line = c.line
  LEFT JOIN finance.adjustment a ON a.adjustment_id = c.adjustment_id
  LEFT JOIN metering.meter m ON m.meter_id = a.meter_id
 WHERE c.credit_note_id = $1::bigint AND ($2::integer IS NULL OR c.place = $2::integer)
 ORDER BY c.place;
