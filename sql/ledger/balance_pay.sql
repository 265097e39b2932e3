-- Pays invoices out of their tenants' balances, which fall by as much; each balance pays once.
-- $1 bigint[] invoices
-- $2 text[] references
-- $3 bigint[] amounts in minor units
-- $4 date paid on
-- $5 timestamptz when
-- $6 text by whom
WITH paid AS (
	INSERT INTO finance.payment (reference, method, invoice_id, amount_minor, excess_minor, recovered_minor, currency, paid_on, booked_at, booked_by)
	SELECT n.reference, 'balance', v.invoice_id, n.amount_minor, 0, 0, v.currency, $4::date, $5::timestamptz, $6::text
	  FROM unnest($1::bigint[], $2::text[], $3::bigint[]) WITH ORDINALITY AS n (invoice_id, reference, amount_minor, place)
	  JOIN finance.invoice v ON v.invoice_id = n.invoice_id AND v.status = 'final'
	 ORDER BY n.place
	RETURNING payment_id, invoice_id, amount_minor, booked_at, booked_by
)
INSERT INTO finance.balance_entry (tenant, issuer, currency, place, amount_minor, balance_after, credit_note_id, payment_id, booked_at, booked_by)
SELECT v.tenant, v.issuer, v.currency, b.place + 1, -p.amount_minor, b.balance_after - p.amount_minor, NULL, p.payment_id, p.booked_at, p.booked_by
  FROM paid p
  JOIN finance.invoice v ON v.invoice_id = p.invoice_id
 CROSS JOIN LATERAL (SELECT e.place, e.balance_after FROM finance.balance_entry e
                      WHERE e.tenant = v.tenant AND e.issuer = v.issuer AND e.currency = v.currency ORDER BY e.place DESC LIMIT 1) b
 ORDER BY p.payment_id;
