-- Headers of all batches, in the order of their numbers, with what their digests cover.
SELECT batch_id, position_id, first_position, next_position, first_record, records, accepted, duplicates, restamped, ignored,
       quarantined, rejected, encode(previous_digest, 'hex'), encode(digest, 'hex')
  FROM metering.ingest_batch ORDER BY batch_id;
