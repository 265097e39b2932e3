-- Periods are rated.
-- $1 bigint run
DELETE FROM finance.rating_due d USING finance.rating r WHERE r.rating_run = $1::bigint AND r.tenant = d.tenant AND r.period = d.period;
