-- What credit notes over an invoice credited for adjustments, which are none of its lines: the key of the lines that these are about (as
-- credit_note_left.sql has it), or 0, and the amount without what credits had paid of it.  Of each note what the tenant owes comes first.
-- $1 bigint invoice
SELECT COALESCE((SELECT min(l.line) FROM finance.invoice_line l
                  WHERE l.invoice_id = n.invoice_id AND l.adjustment_id IS NULL AND l.kind = a.kind AND l.model = a.model
                    AND l.service_tier = a.service_tier AND l.meter = COALESCE(m.name, '')), 0), n.amount_minor - n.credits_minor
  FROM finance.credit_note_line n
  JOIN finance.adjustment a USING (adjustment_id)
  LEFT JOIN metering.meter m USING (meter_id)
 WHERE n.invoice_id = $1::bigint
 ORDER BY n.credit_note_id, n.amount_minor > 0, n.place;
