-- Final invoices with their content digests and dates of issue.
SELECT invoice_id, number, encode(content_digest, 'hex'), issued_on FROM finance.invoice WHERE status = 'final' ORDER BY invoice_id;
