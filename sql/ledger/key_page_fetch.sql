-- The next pages of a run of the register, in the order of identities.  No row: there are no more, or the run is gone.
-- $1 bigint run
-- $2 uuid the least identity that they may begin with, hexadecimal
-- $3 bigint how many at most
SELECT keys FROM metering.key_page WHERE run = $1::bigint AND first_id >= $2::uuid ORDER BY first_id LIMIT $3::bigint;
