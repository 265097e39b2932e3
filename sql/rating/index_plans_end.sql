-- Ends what index_plans.sql or usage_range_set.sql began: the same transaction goes on with statements of another kind.
SELECT set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'on', true),
       set_config('enable_bitmapscan', 'on', true);
