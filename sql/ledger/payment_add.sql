-- Books a payment of an invoice.
-- $1 text reference
-- $2 text method: import or balance
-- $3 bigint invoice
-- $4 bigint amount in minor units
-- $5 bigint of it, above what was due
-- $6 bigint of it, what had been written off
-- $7 date paid on
-- $8 timestamptz when
-- $9 text by whom
INSERT INTO finance.payment (reference, method, invoice_id, amount_minor, excess_minor, recovered_minor, currency, paid_on, booked_at, booked_by)
SELECT $1::text, $2::text, v.invoice_id, $4::bigint, $5::bigint, $6::bigint, v.currency, $7::date, $8::timestamptz, $9::text
  FROM finance.invoice v WHERE v.invoice_id = $3::bigint AND v.status = 'final'
RETURNING payment_id;
