-- Adjustments with what became of each.  A parameter that is NULL asks for nothing.
-- $1 bigint[] the adjustments
-- $2 bigint the re-rate
-- $3 text tenant
-- $4 text original period
-- $5 text model
-- $6 text service tier
-- $7 smallint meter
-- $8 text kind of the charges
SELECT 'adjustment:' || a.adjustment_id, COALESCE('rerate:' || a.rerate_id, 'adjustment:' || a.reverses), a.tenant, a.original_period, a.model,
       a.service_tier, COALESCE(m.name, ''), a.kind, trim_scale(a.quantity * 10::numeric ^ -COALESCE(m.decimals, 0)), trim_scale(a.exact_amount),
       round(a.amount_minor * 10::numeric ^ -a.minor_units, a.minor_units), a.currency, a.reason, a.outcome,
       CASE WHEN d.credit_note_id IS NOT NULL THEN 'dropped' WHEN n.number IS NOT NULL THEN 'credited' WHEN a.outcome = 'waived' THEN 'waived'
            WHEN v.status = 'final' THEN 'billed' WHEN v.status = 'draft' THEN 'on_draft' ELSE 'waiting' END,
       CASE WHEN d.credit_note_id IS NOT NULL THEN d.number WHEN n.number IS NOT NULL THEN n.number || '/' || n.place
            ELSE COALESCE(v.number, v.tenant || ':' || v.period || CASE v.kind WHEN 'adjustment' THEN ':adjustment' ELSE '' END) || '/' || v.line END
  FROM finance.adjustment a
  LEFT JOIN metering.meter m USING (meter_id)
  LEFT JOIN LATERAL (SELECT c.credit_note_id, c.number FROM finance.adjustment_dropped x JOIN finance.credit_note c USING (credit_note_id)
                      WHERE x.adjustment_id = a.adjustment_id) d ON true
  LEFT JOIN LATERAL (SELECT c.number, x.place FROM finance.credit_note_line x JOIN finance.credit_note c USING (credit_note_id)
                      WHERE x.adjustment_id = a.adjustment_id) n ON true
  LEFT JOIN LATERAL (SELECT i.status, i.kind, i.number, i.tenant, i.period, l.line
                       FROM finance.invoice_line l JOIN finance.invoice i USING (invoice_id)
                      WHERE l.adjustment_id = a.adjustment_id
                        AND NOT EXISTS (SELECT FROM finance.credit_note c WHERE c.invoice_id = i.invoice_id AND c.scope = 'full')
                      ORDER BY i.status DESC, i.invoice_id DESC LIMIT 1) v ON true
 WHERE ($1::bigint[] IS NULL OR a.adjustment_id = ANY($1::bigint[])) AND ($2::bigint IS NULL OR a.rerate_id = $2::bigint)
   AND ($3::text IS NULL OR a.tenant = $3::text) AND ($4::text IS NULL OR a.original_period = $4::text)
   AND ($5::text IS NULL OR a.model = $5::text) AND ($6::text IS NULL OR a.service_tier = $6::text)
   AND ($7::smallint IS NULL OR a.meter_id = $7::smallint) AND ($8::text IS NULL OR a.kind = $8::text)
 ORDER BY a.adjustment_id;
