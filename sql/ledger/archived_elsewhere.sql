-- Batches of which rows are in these archives.
-- $1 bigint[] archives
SELECT DISTINCT batch_id FROM metering.archived_batch WHERE archive_id = ANY ($1::bigint[]) ORDER BY batch_id;
