-- Invoices and drafts, with their amounts in minor units and what is left to pay of each.
-- $1 text period, '' for all
-- $2 text tenant, '' for all
SELECT COALESCE(v.number, ''), COALESCE(s.standing, 'draft'), v.tenant, v.period, v.kind,
       (SELECT count(*) FROM finance.invoice_line l WHERE l.invoice_id = v.invoice_id),
       v.net_minor, v.credits_minor, v.tax_minor, v.total_minor, COALESCE(s.due_minor, v.total_minor), v.minor_units, v.currency,
       COALESCE(v.issued_on::text, '')
  FROM finance.invoice v
  LEFT JOIN finance.invoice_standing s USING (invoice_id)
 WHERE ($1::text = '' OR v.period = $1::text) AND ($2::text = '' OR v.tenant = $2::text)
 ORDER BY v.period, v.number NULLS LAST, v.tenant, v.kind DESC;
