-- What each batch appended to the register, by batch: the sum of hashes as how often 2^32 is in it, and what is left.
COPY (SELECT batch_id, entry, keys, div(hash_sum, 4294967296)::bigint, mod(hash_sum, 4294967296)::bigint FROM metering.register_entry ORDER BY batch_id)
  TO STDOUT (FORMAT binary);
