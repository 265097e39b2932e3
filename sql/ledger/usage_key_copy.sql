-- New identities into the register, in binary.
COPY metering.usage_key (event_id, content, event_time, batch_id) FROM STDIN (FORMAT binary);
