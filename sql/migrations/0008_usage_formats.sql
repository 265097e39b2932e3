-- By a usage format one message may be several events, and a range counts events: it may have more of them than offsets.
ALTER TABLE metering.batch_range DROP CONSTRAINT batch_range_check;
ALTER TABLE metering.batch_range ADD CONSTRAINT batch_range_has_records CHECK (next_offset > first_offset AND records >= 1);
