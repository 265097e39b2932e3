-- A period is rated.
-- $1 text tenant
-- $2 text period
DELETE FROM finance.rating_due WHERE tenant = $1::text AND period = $2::text;
