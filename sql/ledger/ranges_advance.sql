-- Moves partitions behind what a batch takes of them; a row for each that stood where it was believed to and is still ours.
-- $1 bigint[] partitions
-- $2 bigint[] epochs under which they are ours
-- $3 bigint[] next offsets as they are believed to be
-- $4 bigint[] new next offsets
-- $5 bigint[] offsets of the last records
-- $6 bytea[] their digests
-- $7 timestamptz[] latest event times, or null
-- $8 bigint[] ends as seen, or null
-- $9 bigint[] last stable offsets as seen, or null
-- $10 timestamptz[] since when records are held back, or null
-- $11..$13 bigint[] records, duplicates, quarantined and rejected
-- $14 bigint batch
-- $15 timestamptz when
UPDATE metering.kafka_partition p
   SET next_offset = r.next_offset, clear_offset = r.next_offset, last_batch = $14::bigint, last_offset = r.last_offset,
       last_digest = r.last_digest, last_event_time = greatest(p.last_event_time, r.event_time), end_offset = r.end_offset,
       stable_offset = r.stable_offset, stable_since = r.held_since, seen_at = $15::timestamptz,
       records = p.records + r.records, duplicates = p.duplicates + r.duplicates, set_aside = p.set_aside + r.set_aside
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[], $7::timestamptz[], $8::bigint[],
              $9::bigint[], $10::timestamptz[], $11::bigint[], $12::bigint[], $13::bigint[])
       AS r (partition_id, epoch, first_offset, next_offset, last_offset, last_digest, event_time, end_offset, stable_offset, held_since,
             records, duplicates, set_aside)
 WHERE p.partition_id = r.partition_id AND p.owner_epoch = r.epoch AND p.next_offset = r.first_offset AND p.closed_at IS NULL
RETURNING p.partition_id;
