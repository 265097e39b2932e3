-- Lets the checks that know a scope look at this period and later ones only, until the transaction ends, and find their intervals
-- through the index: a plan made for all of history reads all of history.
-- $1 text period
SELECT set_config('tollbook.check_from', $1::text, true), set_config('enable_seqscan', 'off', true),
       set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);
