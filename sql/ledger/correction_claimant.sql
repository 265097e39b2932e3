-- Which correction or void has claimed an event.
-- $1 uuid the original's identity, hexadecimal
-- $2 uuid the identity of who asks, hexadecimal: true where it is the claimant itself
SELECT event_id = $2::uuid FROM metering.usage_correction WHERE original_event_id = $1::uuid;
