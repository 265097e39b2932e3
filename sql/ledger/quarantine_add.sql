-- Keeps a record that is not a fact yet; no row when the same bytes at the same place, to be read the same way, are kept already.
-- $1 bigint batch
-- $2 bigint its number in its source; of a message its offset
-- $3 text quarantined or rejected
-- $4 text reason code
-- $5 text field
-- $6 text value, printable
-- $7 text format
-- $8 bytea raw bytes
-- $9 bigint their full length
-- $10 bytea SHA-256 of the kept bytes
-- $11 bytea key of a message, or null
-- $12 bytea[] names and values of its headers in turn, or null
INSERT INTO metering.quarantine (batch_id, record, outcome, code, field, value, format, raw, raw_length, raw_digest,
       message_key, message_headers)
VALUES ($1::bigint, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bytea, $9::bigint, $10::bytea,
       $11::bytea, $12::bytea[])
ON CONFLICT (raw_digest, record, hashtextextended(format, 0)) DO NOTHING
RETURNING quarantine_id;
