-- Tells the usage_copy and usage_sum_copy statements what to read: COPY takes no parameters.  Sums of a part fit in memory.  Its rows are
-- found through the index by batch, whatever statistics say: a month that was filled a moment ago has none, and would be read whole for each part.
-- $1 bigint first batch
-- $2 bigint last batch
-- $3 timestamptz events from then on, for usage_copy_again.sql
-- $4 boolean with the context, for usage_copy_again.sql
SELECT set_config('tollbook.first_batch', ($1::bigint)::text, true),
       set_config('tollbook.last_batch', ($2::bigint)::text, true),
       set_config('tollbook.since', ($3::timestamptz)::text, true),
       set_config('tollbook.with_context', ($4::boolean)::text, true),
       set_config('work_mem', '64MB', true), set_config('enable_seqscan', 'off', true);
