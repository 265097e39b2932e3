-- Holds, in binary.
COPY finance.hold (rating_id, ordinal, model, service_tier, meter_id, reason, quantity, first_interval, last_interval) FROM STDIN (FORMAT binary);
