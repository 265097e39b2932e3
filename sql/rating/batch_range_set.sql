-- Tells usage_copy.sql which batches to read: COPY takes no parameters.
-- $1 bigint first batch
-- $2 bigint last batch
SELECT set_config('tollbook.first_batch', ($1::bigint)::text, true),
       set_config('tollbook.last_batch', ($2::bigint)::text, true);
