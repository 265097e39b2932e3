-- Final invoices with their content digests.
SELECT invoice_id, number, encode(content_digest, 'hex') FROM finance.invoice WHERE status = 'final' ORDER BY invoice_id;
