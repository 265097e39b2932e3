-- A period's invoice takes its period; nobody else can have it until the invoice is credited in full.
-- $1 bigint invoice
INSERT INTO finance.invoiced_period (tenant, period, invoice_id)
SELECT tenant, period, invoice_id FROM finance.invoice WHERE invoice_id = $1::bigint AND kind = 'period';
