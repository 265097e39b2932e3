-- Invoices that a run issued.
-- $1 bigint night run
SELECT v.number, v.kind, v.tenant, v.period, round(v.total_minor / 10::numeric ^ v.minor_units, v.minor_units), v.currency,
       encode(v.content_digest, 'hex')
  FROM finance.night_run n JOIN finance.invoice v ON v.status = 'final' AND v.finalized_at = n.at AND v.finalized_by = 'nightly'
 WHERE n.night_run = $1::bigint ORDER BY v.number;
