-- The next pages of a run of the register, with the identity that each is found by.
-- $1 bigint run
-- $2 uuid the least identity that they may be found by, hexadecimal
-- $3 bigint at most so many
SELECT uuid_send(first_id), keys FROM metering.key_page WHERE run = $1::bigint AND first_id >= $2::uuid ORDER BY first_id LIMIT $3::bigint;
