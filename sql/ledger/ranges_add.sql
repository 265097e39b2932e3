-- What a batch takes from each partition.
-- $1 bigint batch
-- $2 bigint[] partitions
-- $3 bigint[] first offsets
-- $4 bigint[] next offsets
-- $5..$10 bigint[] records, accepted, duplicates, ignored, quarantined, rejected
INSERT INTO metering.batch_range (batch_id, partition_id, first_offset, next_offset, records, accepted, duplicates, ignored,
       quarantined, rejected)
SELECT $1::bigint, r.*
  FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[],
              $10::bigint[]) AS r;
