-- An archive's rows are in the ledger again, or in its file alone again; a trigger refuses a step out of order.
-- $1 bigint archive
-- $2 text attached or detached
-- $3 timestamptz when
-- $4 text who
INSERT INTO metering.archive_step (archive_id, step, at, who) VALUES ($1::bigint, $2::text, $3::timestamptz, $4::text);
