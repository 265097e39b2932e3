-- Lets the checks that know a scope look at this period and later ones only, until the transaction ends.
-- $1 text period
SELECT set_config('tollbook.check_from', $1::text, true);
