-- Headers of all batches, in the order of their numbers, with what their digests cover; the last column as ledger/partition.c writes it.
SELECT b.batch_id, b.position_id, b.first_position, b.next_position, b.first_record, b.records, b.accepted, b.duplicates, b.restamped,
       b.ignored, b.quarantined, b.rejected, encode(b.previous_digest, 'hex'), encode(b.digest, 'hex'),
       (SELECT string_agg(concat(r.partition_id, ':', r.first_offset, '-', r.next_offset, '=', r.records, '/', r.accepted, '/',
               r.duplicates, '/', r.ignored, '/', r.quarantined, '/', r.rejected, ';'), '' ORDER BY r.partition_id)
          FROM metering.batch_range r WHERE r.batch_id = b.batch_id)
  FROM metering.ingest_batch b ORDER BY b.batch_id;
