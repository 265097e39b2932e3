-- What archive_rows_copy.sql is asked for: COPY takes no parameters.
-- $1 bigint the first batch
-- $2 bigint the last batch
-- $3 timestamptz the earliest row of these
-- $4 timestamptz the latest row of these
SELECT set_config('tollbook.first_batch', $1::bigint::text, true), set_config('tollbook.last_batch', $2::bigint::text, true),
       set_config('tollbook.since', $3::timestamptz::text, true), set_config('tollbook.before', $4::timestamptz::text, true);
