-- Tells requests_copy.sql what to read: COPY takes no parameters.
-- $1 text tenant
-- $2 timestamptz start of the period
-- $3 timestamptz its end, not included
-- $4 bigint the newest run whose batches count
-- $5 boolean with the context
SELECT set_config('tollbook.tenant', $1::text, true),
       set_config('tollbook.since', ($2::timestamptz)::text, true),
       set_config('tollbook.before', ($3::timestamptz)::text, true),
       set_config('tollbook.last_run', ($4::bigint)::text, true),
       set_config('tollbook.with_context', ($5::boolean)::text, true);
