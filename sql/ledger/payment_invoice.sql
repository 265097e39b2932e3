-- A final invoice, as far as a payment of it needs: what is due, what was written off and not paid since, and the date it was issued on.
-- $1 text number
SELECT v.invoice_id, v.currency, v.minor_units, s.due_minor, s.written_off_minor, v.issued_on
  FROM finance.invoice v JOIN finance.invoice_standing s USING (invoice_id) WHERE v.number = $1::text;
