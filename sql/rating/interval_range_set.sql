-- Tells interval_read.sql and interval_extra_read.sql what to read: COPY takes no parameters.
-- $1 integer[] series
-- $2 timestamptz[] starts, one for each of them
-- $3 timestamptz[] ends, not included
-- $4 bigint[] the newest run whose increments count
SELECT set_config('tollbook.series', ($1::integer[])::text, true),
       set_config('tollbook.starts', ($2::timestamptz[])::text, true),
       set_config('tollbook.ends', ($3::timestamptz[])::text, true),
       set_config('tollbook.until', ($4::bigint[])::text, true);
