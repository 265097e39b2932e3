-- Throws the drafts of what tenants were charged for in a period away, with their lines.
-- $1 text[] tenants
-- $2 text period
DELETE FROM finance.invoice
 WHERE tenant = ANY ($1::text[]) AND period = $2::text AND kind = 'period' AND status = 'draft';
