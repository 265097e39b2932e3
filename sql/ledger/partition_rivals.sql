-- The connection of a partition's owner, where it is another than this one and has a transaction open, and which transaction.
-- $1 bigint partition
SELECT a.pid, a.xact_start::text
  FROM metering.kafka_partition p
  JOIN pg_stat_activity a ON a.pid = p.owner_backend AND a.backend_start = p.owner_backend_start
 WHERE p.partition_id = $1::bigint AND a.pid <> pg_backend_pid() AND a.xact_start IS NOT NULL;
