-- Ends the open reading of a partition; its owner can book nothing more.
-- $1 text cluster
-- $2 text topic
-- $3 integer partition
-- $4 timestamptz when
-- $5 text by whom
-- $6 text why
UPDATE metering.kafka_partition
   SET closed_at = $4::timestamptz, closed_by = $5::text, closed_because = $6::text
 WHERE cluster = $1::text AND topic = $2::text AND partition = $3::integer AND closed_at IS NULL;
