-- Takes a partition over: nobody who had it before can book from it any more.  No row where it is not there to be taken.
-- $1 bigint partition
-- $2 text owner
-- $3 bigint the epoch under which it is still ours, or -1 to take it from anybody
UPDATE metering.kafka_partition
   SET owner_epoch = owner_epoch + 1, owner = $2::text, owner_backend = pg_backend_pid(),
       owner_backend_start = (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())
 WHERE partition_id = $1::bigint AND closed_at IS NULL AND ($3::bigint = -1 OR owner_epoch = $3::bigint)
RETURNING owner_epoch, next_offset, clear_offset, last_offset, encode(last_digest, 'hex');
