-- A credit note.
-- $1 text number
-- $2 date of issue
-- $3 text scope
-- $4 text issuer
-- $5 text the issuer's name
-- $6 text tenant
-- $7 text the tenant's name
-- $8 text number of the invoice
-- $9 date of issue of the invoice
-- $10 text currency
-- $11 smallint minor units of the currency
-- $12 bigint net
-- $13 bigint of it, what credits had paid
-- $14 text name of the tax
-- $15 numeric percent of the tax
-- $16 bigint tax
-- $17 bigint total
-- $18 bigint to the tenant's balance
-- $19 bigint to be refunded
-- $20 text reason
-- $21 text note
-- $22 bigint invoice
-- $23 bigint its place in the series
-- $24 text ticket
-- $25 text request, or NULL for a new one
-- $26 timestamptz when
-- $27 text by whom
-- $28 bytea digest of its content
INSERT INTO finance.credit_note (number, issued_on, scope, issuer, issuer_name, tenant, tenant_name, invoice_number, invoice_date, currency,
       minor_units, net_minor, credits_minor, tax_name, tax_percent, tax_minor, total_minor, balance_minor, refund_minor, reason, note,
       invoice_id, series_year, series_number, ticket, request_id, issued_at, issued_by, content_digest)
VALUES ($1::text, $2::date, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::date, $10::text,
       $11::smallint, $12::bigint, $13::bigint, $14::text, $15::numeric, $16::bigint, $17::bigint, $18::bigint, $19::bigint, $20::text, $21::text,
       $22::bigint, extract(year FROM $2::date)::integer, $23::bigint, $24::text, COALESCE($25::text, gen_random_uuid()::text), $26::timestamptz,
       $27::text, $28::bytea)
RETURNING credit_note_id;
