-- One credit note by its number.
-- $1 text number
SELECT n.credit_note_id, n.number, n.invoice_number, n.invoice_date, n.issuer, n.issuer_name, n.tenant, n.tenant_name, n.scope, n.currency,
       n.minor_units, n.net_minor, n.credits_minor, n.tax_name, trim_scale(n.tax_percent), n.tax_minor, n.total_minor, n.balance_minor,
       n.refund_minor, n.reason, n.ticket, n.note, n.request_id, n.issued_on, n.issued_by, encode(n.content_digest, 'hex'), v.period
  FROM finance.credit_note n
  JOIN finance.invoice v USING (invoice_id)
 WHERE n.number = $1::text;
