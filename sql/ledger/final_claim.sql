-- Invoices of periods take their periods; nobody else can have one until its invoice is credited in full.
-- $1 bigint[] invoices
INSERT INTO finance.invoiced_period (tenant, period, invoice_id)
SELECT tenant, period, invoice_id FROM finance.invoice WHERE invoice_id = ANY ($1::bigint[]) AND kind = 'period';
