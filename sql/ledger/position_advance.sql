-- Moves a source's position, unless somebody else has: no row then, and the batch must not be booked.
-- $1 bigint position
-- $2 bigint next position as it is believed to be
-- $3 bigint next record as it is believed to be
-- $4 bigint new next position
-- $5 bigint new next record
-- $6 bigint batch
-- $7 bytea the batch's digest
UPDATE metering.source_position
   SET next_position = $4::bigint, next_record = $5::bigint, last_batch = $6::bigint, last_digest = $7::bytea
 WHERE position_id = $1::bigint AND next_position = $2::bigint AND next_record = $3::bigint AND finished_at IS NULL;
