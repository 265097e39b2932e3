-- Invoices and drafts, with their totals in minor units.
-- $1 text period, '' for all
-- $2 text tenant, '' for all
SELECT COALESCE(v.number, ''), v.status, v.tenant, v.period, (SELECT count(*) FROM finance.invoice_line l WHERE l.invoice_id = v.invoice_id),
       v.total_minor, v.minor_units, v.currency, COALESCE(v.issued_on::text, '')
  FROM finance.invoice v
 WHERE ($1::text = '' OR v.period = $1::text) AND ($2::text = '' OR v.tenant = $2::text)
 ORDER BY v.period, v.number NULLS LAST, v.tenant;
