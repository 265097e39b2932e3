-- For the rest of this transaction, finds what belongs to one document through indexes: tables that were filled a moment ago have no statistics
-- yet, and reading them whole for each document would cost documents x rows.
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);
