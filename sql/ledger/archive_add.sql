-- A part of a month is in a file from now on.
-- $1 bigint archive
-- $2 date the month
-- $3 integer part
-- $4 text file
-- $5 text folder
-- $6 bytea SHA-256 of the file
-- $7 bigint its length in bytes
-- $8 bigint rows
-- $9 bigint batches
-- $10 bytea digest of the batches' proofs
-- $11 timestamptz when
-- $12 text who
INSERT INTO metering.archive (archive_id, month, part, file, folder, digest, bytes, rows, batches, rows_digest, written_at, written_by)
VALUES ($1::bigint, $2::date, $3::integer, $4::text, $5::text, $6::bytea, $7::bigint, $8::bigint, $9::bigint, $10::bytea, $11::timestamptz, $12::text);
