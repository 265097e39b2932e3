-- Where a source stands, once whoever moves it at this moment has ended: the row is locked.
-- $1 bigint position
SELECT next_position FROM metering.source_position WHERE position_id = $1::bigint FOR UPDATE;
