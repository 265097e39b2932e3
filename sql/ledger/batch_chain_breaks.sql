-- Batches whose "previous digest" is not the digest of the batch before them in their source, and sources whose head is not their last batch's.
SELECT batch_id
  FROM (SELECT batch_id, previous_digest, COALESCE(lag(digest) OVER (PARTITION BY position_id ORDER BY first_record),
               decode(repeat('00', 32), 'hex')) AS expected FROM metering.ingest_batch) AS chained
 WHERE previous_digest <> expected
UNION ALL
SELECT p.last_batch
  FROM metering.source_position p
  LEFT JOIN metering.ingest_batch b ON b.batch_id = p.last_batch
 WHERE p.last_batch IS NOT NULL AND (b.digest IS NULL OR b.digest <> p.last_digest);
