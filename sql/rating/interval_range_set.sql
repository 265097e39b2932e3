-- Tells interval_read.sql and interval_extra_read.sql what to read: COPY takes no parameters.  Lists, parted by commas.
-- $1 text series
-- $2 text starts, one for each of them, RFC 3339
-- $3 text ends, not included
-- $4 text the newest run whose increments count
SELECT set_config('tollbook.series', $1::text, true), set_config('tollbook.starts', $2::text, true),
       set_config('tollbook.ends', $3::text, true), set_config('tollbook.until', $4::text, true);
