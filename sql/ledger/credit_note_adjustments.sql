-- Adjustments of the period of an invoice that are owed to the tenant and not settled: neither billed, credited, dropped nor waived.  One that
-- takes another one back belongs to an invoice, where that one is.  Amounts as a credit note has them, with the key of the lines that they are about
-- (as credit_note_left.sql has it), or 0.
-- $1 bigint invoice
-- $2 bigint of this re-rate alone, or NULL
-- $3 boolean those that the tenant owes too
SELECT a.adjustment_id, -a.amount_minor,
       COALESCE((SELECT min(l.line) FROM finance.invoice_line l
                  WHERE l.invoice_id = p.invoice_id AND l.adjustment_id IS NULL AND l.kind = a.kind AND l.model = a.model
                    AND l.service_tier = a.service_tier AND l.meter = COALESCE(m.name, '')), 0)
  FROM finance.invoiced_period p
  JOIN finance.invoice v USING (invoice_id)
  JOIN finance.adjustment a ON a.tenant = p.tenant AND a.original_period = p.period AND a.currency = v.currency
  LEFT JOIN metering.meter m USING (meter_id)
 WHERE p.invoice_id = $1::bigint AND ($2::bigint IS NULL OR a.rerate_id = $2::bigint)
   AND (a.amount_minor < 0 OR $3::boolean) AND a.outcome <> 'waived' AND a.reverses IS NULL
   AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = a.adjustment_id)
   AND NOT EXISTS (SELECT FROM finance.adjustment r WHERE r.reverses = a.adjustment_id)
   AND NOT EXISTS (SELECT FROM finance.credit_note_line n WHERE n.adjustment_id = a.adjustment_id)
   AND NOT EXISTS (SELECT FROM finance.invoice_line l JOIN finance.invoice b USING (invoice_id)
                    WHERE l.adjustment_id = a.adjustment_id AND b.status = 'final'
                      AND NOT EXISTS (SELECT FROM finance.credit_note n WHERE n.invoice_id = b.invoice_id AND n.scope = 'full'))
 ORDER BY a.adjustment_id;
