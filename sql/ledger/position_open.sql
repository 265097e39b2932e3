-- A new reading of a source, from its beginning.
-- $1 text kind: file, quarantine or support
-- $2 text name
-- $3 timestamptz when
-- $4 text by whom
INSERT INTO metering.source_position (kind, name, opened_at, opened_by, next_position, next_record, last_digest)
VALUES ($1::text, $2::text, $3::timestamptz, $4::text, 0, 1, decode(repeat('00', 32), 'hex'))
RETURNING position_id;
