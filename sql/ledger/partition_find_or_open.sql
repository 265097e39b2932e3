-- The open reading of a partition, opened if there is none; no row when another process is opening it at this moment: ask again.
-- $1 text cluster
-- $2 text topic
-- $3 integer partition
-- $4 bigint where a new reading begins
-- $5 timestamptz when
-- $6 text by whom
WITH opened AS (
	INSERT INTO metering.kafka_partition (cluster, topic, partition, opened_at, opened_by, start_offset, next_offset, clear_offset)
	VALUES ($1::text, $2::text, $3::integer, $5::timestamptz, $6::text, $4::bigint, $4::bigint, $4::bigint)
	ON CONFLICT (cluster, topic, partition) WHERE closed_at IS NULL DO NOTHING
	RETURNING partition_id
)
SELECT partition_id FROM metering.kafka_partition
 WHERE cluster = $1::text AND topic = $2::text AND partition = $3::integer AND closed_at IS NULL
UNION ALL
SELECT partition_id FROM opened
LIMIT 1;
