-- Drops the adjustments of a period whose invoice is credited in full, but those billed on another invoice and those of a pair that takes each
-- other back: the period is invoiced as it is rated now.
-- $1 text tenant
-- $2 text period
-- $3 bigint the credit note
INSERT INTO finance.adjustment_dropped (adjustment_id, credit_note_id)
SELECT a.adjustment_id, $3::bigint
  FROM finance.adjustment a
 WHERE a.tenant = $1::text AND a.original_period = $2::text AND a.reverses IS NULL
   AND NOT EXISTS (SELECT FROM finance.adjustment r WHERE r.reverses = a.adjustment_id)
   AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = a.adjustment_id)
   AND NOT EXISTS (SELECT FROM finance.invoice_line l JOIN finance.invoice v USING (invoice_id)
                    WHERE l.adjustment_id = a.adjustment_id AND v.status = 'final'
                      AND NOT EXISTS (SELECT FROM finance.credit_note n WHERE n.invoice_id = v.invoice_id AND n.scope = 'full'));
