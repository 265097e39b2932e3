-- The header of a batch.
-- $1 bigint batch
-- $2 bigint position
-- $3 bigint first position
-- $4 bigint next position
-- $5 bigint number of its first record
-- $6..$12 bigint records, accepted, duplicates, restamped, ignored, quarantined, rejected
-- $13 bigint of those set aside, in quarantine before
-- $14 bigint ledger rows
-- $15 timestamptz earliest event time, or null
-- $16 timestamptz latest event time, or null
-- $17 bytea digest of the batch before it
-- $18 bytea digest
-- $19 timestamptz when
INSERT INTO metering.ingest_batch (batch_id, position_id, first_position, next_position, first_record, records, accepted,
       duplicates, restamped, ignored, quarantined, rejected, set_aside_before, ledger_rows, first_event_time, last_event_time,
       previous_digest, digest, appended_at)
VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint,
       $11::bigint, $12::bigint, $13::bigint, $14::bigint, $15::timestamptz, $16::timestamptz, $17::bytea, $18::bytea, $19::timestamptz);
