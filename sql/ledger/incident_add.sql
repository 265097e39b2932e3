-- Notes that a topic is not what it was; once.
-- $1 bigint partition
-- $2 text kind
-- $3 bigint offset expected
-- $4 bigint offset found
-- $5 timestamptz when
-- $6 text by whom
INSERT INTO metering.kafka_incident (partition_id, kind, expected, found, seen_at, seen_by)
VALUES ($1::bigint, $2::text, $3::bigint, $4::bigint, $5::timestamptz, $6::text)
ON CONFLICT (partition_id, kind, expected, found) DO NOTHING;
