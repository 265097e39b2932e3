-- Credit notes that a run issued.
-- $1 bigint night run
SELECT c.number, c.invoice_number, c.tenant, round(c.total_minor / 10::numeric ^ c.minor_units, c.minor_units), c.currency,
       encode(c.content_digest, 'hex')
  FROM finance.night_run n JOIN finance.credit_note c ON c.issued_at = n.at AND c.issued_by = 'nightly'
 WHERE n.night_run = $1::bigint ORDER BY c.number;
