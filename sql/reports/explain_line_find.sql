-- Which line is meant: of which invoice, in the order of ledger/invoice_find.sql; a tenant's period may have several, where one was credited in
-- full, or adjustments have one of their own.
-- $1 text invoice number, tenant:period, or tenant:period:adjustment
-- $2 integer line
SELECT v.invoice_id, COALESCE(v.number, ''), v.status, v.kind, v.tenant, v.period, v.currency, COALESCE(v.issued_on::text, ''), l.adjustment_id,
       round(v.net_minor * 10::numeric ^ -v.minor_units, v.minor_units), round(v.credits_minor * 10::numeric ^ -v.minor_units, v.minor_units),
       round(v.tax_minor * 10::numeric ^ -v.minor_units, v.minor_units), round(v.total_minor * 10::numeric ^ -v.minor_units, v.minor_units),
       s.standing, l.kind, l.model, l.service_tier, COALESCE(m.meter_id, 0), l.detail,
       trim_scale(l.exact_amount), round(l.amount_minor * 10::numeric ^ -v.minor_units, v.minor_units), l.amount_minor
  FROM finance.invoice v
  JOIN finance.invoice_line l USING (invoice_id)
  LEFT JOIN finance.invoice_standing s USING (invoice_id)
  LEFT JOIN finance.invoiced_period p USING (invoice_id)
  LEFT JOIN metering.meter m ON m.name = l.meter
 WHERE l.line = $2::integer
   AND (v.number = $1::text OR v.tenant || ':' || v.period = $1::text
     OR (v.kind = 'adjustment' AND v.tenant || ':' || v.period || ':adjustment' = $1::text))
 ORDER BY v.number IS NOT DISTINCT FROM $1::text DESC, v.status = 'draft' DESC, v.kind = 'period' DESC, p.invoice_id IS NOT NULL DESC,
       v.invoice_id DESC
 LIMIT 1;
