-- Where a reading stands that was interrupted; no row where it came to its end.
-- $1 bigint position
SELECT next_position, next_record, encode(last_digest, 'hex') FROM metering.source_position
 WHERE position_id = $1::bigint AND finished_at IS NULL;
