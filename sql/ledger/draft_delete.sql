-- Throws the draft of a period's charges away, with its lines.
-- $1 text tenant
-- $2 text period
DELETE FROM finance.invoice WHERE tenant = $1::text AND period = $2::text AND kind = 'period' AND status = 'draft';
