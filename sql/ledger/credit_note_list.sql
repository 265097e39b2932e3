-- Credit notes, with their amounts in minor units.
-- $1 text tenant, '' for all
-- $2 text number of the invoice, '' for all
SELECT n.number, n.invoice_number, n.tenant, n.issued_on, n.scope, n.currency, n.minor_units, n.net_minor, n.credits_minor, n.tax_minor,
       n.total_minor, n.balance_minor, n.refund_minor, n.reason, n.ticket
  FROM finance.credit_note n
 WHERE ($1::text = '' OR n.tenant = $1::text) AND ($2::text = '' OR n.invoice_number = $2::text)
 ORDER BY n.credit_note_id;
