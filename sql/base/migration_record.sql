-- Notes that a migration was applied.
-- $1 integer its number
-- $2 text its name
-- $3 text SHA-256 of its text, hexadecimal
-- $4 timestamptz when
INSERT INTO tollbook.migration (number, name, checksum, applied_at)
VALUES ($1::integer, $2::text, $3::text, $4::timestamptz);
