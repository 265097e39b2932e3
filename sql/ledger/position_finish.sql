-- The source was read to its end.
-- $1 bigint position
-- $2 timestamptz when
UPDATE metering.source_position SET finished_at = $2::timestamptz WHERE position_id = $1::bigint AND finished_at IS NULL;
