-- Releases the period of an invoice that was credited in full: its usage is invoiced again.
-- $1 bigint invoice
DELETE FROM finance.invoiced_period WHERE invoice_id = $1::bigint;
