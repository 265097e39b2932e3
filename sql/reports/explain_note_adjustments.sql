-- What a full credit note did to the adjustments of the invoice's period: those it dropped, and those that others take back since.
-- $1 bigint credit note
SELECT 'adjustment:' || a.adjustment_id, 'dropped', round(a.amount_minor * 10::numeric ^ -a.minor_units, a.minor_units), a.reason
  FROM finance.adjustment_dropped d
  JOIN finance.adjustment a USING (adjustment_id)
 WHERE d.credit_note_id = $1::bigint
UNION ALL
SELECT 'adjustment:' || r.adjustment_id, 'takes back adjustment:' || r.reverses, round(r.amount_minor * 10::numeric ^ -r.minor_units, r.minor_units), r.reason
  FROM finance.credit_note n
  JOIN finance.invoice v USING (invoice_id)
  JOIN finance.adjustment r ON r.tenant = v.tenant AND r.original_period = v.period AND r.reverses IS NOT NULL AND r.booked_at = n.issued_at
 WHERE n.credit_note_id = $1::bigint AND n.scope = 'full'
 ORDER BY 1;
