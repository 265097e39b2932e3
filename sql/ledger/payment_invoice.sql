-- A final invoice, as far as a payment of it needs: what is due, and what was written off and not paid since.
-- $1 text number
SELECT v.invoice_id, v.currency, v.minor_units, s.due_minor, s.written_off_minor
  FROM finance.invoice v JOIN finance.invoice_standing s USING (invoice_id) WHERE v.number = $1::text;
