-- Claims an event for the one correction or void it can have; no row when it was claimed before.
-- $1 uuid the original's identity, hexadecimal
-- $2 uuid the correction's identity, hexadecimal
-- $3 bigint the batch
INSERT INTO metering.usage_correction (original_event_id, event_id, batch_id)
VALUES ($1::uuid, $2::uuid, $3::bigint)
ON CONFLICT (original_event_id) DO NOTHING
RETURNING event_id;
