-- The lines of a credit note, with what the line of the invoice, or the adjustment, is about.
-- $1 bigint credit note
SELECT n.place, n.line, n.adjustment_id, COALESCE(l.model, a.model), COALESCE(l.service_tier, a.service_tier), COALESCE(l.meter, m.name, ''),
       COALESCE(l.kind, a.kind), COALESCE(l.detail, a.original_period || ', re-rated: ' || a.reason), n.amount_minor, n.credits_minor
  FROM finance.credit_note_line n
  LEFT JOIN finance.invoice_line l ON l.invoice_id = n.invoice_id AND l.line = n.line
  LEFT JOIN finance.adjustment a ON a.adjustment_id = n.adjustment_id
  LEFT JOIN metering.meter m ON m.meter_id = a.meter_id
 WHERE n.credit_note_id = $1::bigint
 ORDER BY n.place;
