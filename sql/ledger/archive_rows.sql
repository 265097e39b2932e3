-- How many rows were summed for an archive.
-- $1 bigint archive
SELECT COALESCE(sum(rows), 0)::bigint FROM metering.archived_interval WHERE archive_id = $1::bigint;
