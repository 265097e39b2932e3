-- A payment by its reference: what it was of.
-- $1 text reference
SELECT v.number, p.amount_minor, p.currency, v.minor_units, p.paid_on
  FROM finance.payment p JOIN finance.invoice v USING (invoice_id) WHERE p.reference = $1::text;
