-- Payments, the newest last.
-- $1 text tenant, '' for all
-- $2 text invoice number, '' for all
SELECT p.reference, p.method, v.number, v.tenant, p.amount_minor, p.excess_minor, p.recovered_minor, v.minor_units, p.currency, p.paid_on,
       to_char(p.booked_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), p.booked_by
  FROM finance.payment p JOIN finance.invoice v USING (invoice_id)
 WHERE ($1::text = '' OR v.tenant = $1::text) AND ($2::text = '' OR v.number = $2::text)
 ORDER BY p.payment_id;
