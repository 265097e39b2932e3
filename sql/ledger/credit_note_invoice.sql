-- A final invoice that a credit note is asked for, and how it stands: header, what is due, what is credited, what refuses a note.
-- $1 text number, or NULL
-- $2 bigint invoice, or NULL
SELECT v.invoice_id, v.number, v.issued_on::text, v.kind, v.period, v.tenant, v.tenant_name, v.issuer, v.issuer_name, v.currency, v.minor_units,
       v.tax_name, v.tax_percent::text, v.net_minor - n.net, v.credits_minor - n.credits, v.tax_minor - n.tax, s.due_minor, s.written_off_minor,
       (SELECT number FROM finance.credit_note WHERE invoice_id = v.invoice_id AND scope = 'full'),
       finance.period_is_closed(v.period)
  FROM finance.invoice v
  JOIN finance.invoice_standing s USING (invoice_id)
 CROSS JOIN LATERAL (
	SELECT COALESCE(sum(net_minor), 0)::bigint AS net, COALESCE(sum(credits_minor), 0)::bigint AS credits, COALESCE(sum(tax_minor), 0)::bigint AS tax
	  FROM finance.credit_note WHERE invoice_id = v.invoice_id) n
 WHERE v.status = 'final' AND (v.number = $1::text OR v.invoice_id = $2::bigint);
