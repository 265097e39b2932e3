-- Notes what a person decided about a record; the primary key lets it happen once.
-- $1 bigint record
-- $2 text released or discarded
-- $3 bigint the batch that booked it, or null
-- $4 text reason
-- $5 text by whom
-- $6 timestamptz when
INSERT INTO metering.quarantine_resolution (quarantine_id, action, batch_id, reason, resolved_by, resolved_at)
VALUES ($1::bigint, $2::text, $3::bigint, $4::text, $5::text, $6::timestamptz);
