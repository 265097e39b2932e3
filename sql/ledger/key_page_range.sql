-- The pages of a run of the register that may have identities from one to another one, in the order of identities.  No row: there is none, or the
-- run is gone, since others merged it.
-- $1 bigint run
-- $2 uuid its token, hexadecimal
-- $3 uuid the least identity, hexadecimal
-- $4 uuid the greatest
-- $5 bigint how many pages at most
SELECT k.keys
  FROM metering.key_page k
 WHERE k.run = $1::bigint AND k.first_id <= $4::uuid
   AND k.first_id >= COALESCE((SELECT b.first_id FROM metering.key_page b WHERE b.run = $1::bigint AND b.first_id <= $3::uuid ORDER BY b.first_id DESC LIMIT 1), $3::uuid)
   AND EXISTS (SELECT FROM metering.key_run r WHERE r.run = $1::bigint AND r.token = $2::uuid)
 ORDER BY k.first_id LIMIT $5::bigint;
