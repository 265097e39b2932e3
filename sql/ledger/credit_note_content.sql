-- What a credit note says in its header, for its digest, in the order of the first parameters of credit_note_add.sql.
-- $1 bigint credit note
SELECT number, issued_on::text, scope, issuer, issuer_name, tenant, tenant_name, invoice_number, invoice_date::text, currency, minor_units,
       net_minor, credits_minor, tax_name, tax_percent::text, tax_minor, total_minor, balance_minor, refund_minor, reason, note
  FROM finance.credit_note WHERE credit_note_id = $1::bigint;
