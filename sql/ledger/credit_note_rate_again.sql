-- What came late while the period was invoiced is charged with the next rating.
-- $1 text tenant
-- $2 text period
INSERT INTO finance.rating_due (tenant, period) VALUES ($1::text, $2::text) ON CONFLICT DO NOTHING;
