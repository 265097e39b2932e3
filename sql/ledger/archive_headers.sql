-- Headers of the batches that may have rows of a month which no part of it has, as batch_headers.sql gives them.
-- $1 date the month
SELECT b.batch_id, b.position_id, b.first_position, b.next_position, b.first_record, b.records, b.accepted, b.duplicates, b.restamped,
       b.ignored, b.quarantined, b.rejected, encode(b.previous_digest, 'hex'), encode(b.digest, 'hex'),
       (SELECT string_agg(concat(r.partition_id, ':', r.first_offset, '-', r.next_offset, '=', r.records, '/', r.accepted, '/',
               r.duplicates, '/', r.ignored, '/', r.quarantined, '/', r.rejected, ';'), '' ORDER BY r.partition_id)
          FROM metering.batch_range r WHERE r.batch_id = b.batch_id),
       EXISTS (SELECT FROM metering.archived_batch t JOIN metering.archive_out o USING (archive_id) WHERE t.batch_id = b.batch_id)
  FROM metering.late_batches($1::date) l (batch_id)
  JOIN metering.ingest_batch b USING (batch_id)
 ORDER BY b.batch_id;
