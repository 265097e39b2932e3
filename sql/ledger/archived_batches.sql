-- The proofs of an archive, in the order of batches.
-- $1 bigint archive
SELECT batch_id, rows, encode(digest, 'hex') FROM metering.archived_batch WHERE archive_id = $1::bigint ORDER BY batch_id;
