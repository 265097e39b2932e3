-- For the rest of this transaction, finds a tenant's intervals through the index: tables filled a moment ago have no statistics
-- yet, and reading them whole once for each series would cost series x intervals.  (Bitmaps: the index by run would do just that.)
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
       set_config('enable_bitmapscan', 'off', true);
