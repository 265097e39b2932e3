-- What the owner of a partition saw of it between batches; no row where it is not the owner any more.
-- $1 bigint partition
-- $2 bigint the owner's epoch
-- $3 bigint up to where there is no record
-- $4 bigint end, or null
-- $5 bigint last stable offset, or null
-- $6 timestamptz since when records are held back, or null
-- $7 timestamptz when it was seen
UPDATE metering.kafka_partition
   SET clear_offset = greatest(next_offset, $3::bigint), end_offset = $4::bigint, stable_offset = $5::bigint,
       stable_since = $6::timestamptz, seen_at = $7::timestamptz
 WHERE partition_id = $1::bigint AND owner_epoch = $2::bigint AND closed_at IS NULL
RETURNING partition_id;
