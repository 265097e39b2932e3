-- Takes the adjustments of a period back that are billed on other invoices, once: its invoice is credited in full, and the period is invoiced
-- as it is rated now.
-- $1 text tenant
-- $2 text period
-- $3 text reason
-- $4 text ticket
-- $5 timestamptz when
-- $6 text by whom
INSERT INTO finance.adjustment (reverses, tenant, original_period, currency, minor_units, kind, model, service_tier, meter_id, old_rating_id,
       new_rating_id, price_book_version_id, quantity, exact_amount, amount_minor, first_interval, last_interval, reason, ticket, outcome,
       booked_at, booked_by)
SELECT a.adjustment_id, a.tenant, a.original_period, a.currency, a.minor_units, a.kind, a.model, a.service_tier, a.meter_id, a.old_rating_id,
       a.new_rating_id, a.price_book_version_id, -a.quantity, -a.exact_amount, -a.amount_minor, a.first_interval, a.last_interval,
       $3::text, $4::text, 'next_invoice', $5::timestamptz, $6::text
  FROM finance.adjustment a
 WHERE a.tenant = $1::text AND a.original_period = $2::text AND a.reverses IS NULL
   AND NOT EXISTS (SELECT FROM finance.adjustment r WHERE r.reverses = a.adjustment_id)
   AND EXISTS (SELECT FROM finance.invoice_line l JOIN finance.invoice v USING (invoice_id)
                WHERE l.adjustment_id = a.adjustment_id AND v.status = 'final'
                  AND NOT EXISTS (SELECT FROM finance.credit_note n WHERE n.invoice_id = v.invoice_id AND n.scope = 'full'))
 ORDER BY a.adjustment_id;
