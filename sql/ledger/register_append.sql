-- The next entry of the register: a batch's identities, as a run of their own whose pages and filter are there.
-- $1 bigint run
-- $2 bigint entry
-- $3 bigint batch
-- $4 bigint identities
-- $5 bigint blocks of its filter, 0 for none
-- $6 numeric sum of the hashes of its keys
WITH entry AS (
	INSERT INTO metering.register_entry (entry, batch_id, keys, token, hash_sum)
	VALUES ($2::bigint, $3::bigint, $4::bigint, gen_random_uuid(), $6::numeric)
	RETURNING entry, batch_id, keys, token, hash_sum
)
INSERT INTO metering.key_run (run, token, first_entry, last_entry, keys, first_batch, filter_blocks, hash_sum)
SELECT $1::bigint, token, entry, entry, keys, batch_id, $5::bigint, hash_sum FROM entry
RETURNING encode(uuid_send(token), 'hex');
