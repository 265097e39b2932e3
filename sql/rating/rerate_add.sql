-- Records a re-rate as it is planned.
-- $1 bigint its number, from rerate_next.sql
-- $2 text period
-- $3 text tenant, '' for all
-- $4 text model, '' for all
-- $5 bigint price book version, NULL for those in force
-- $6 text reason
-- $7 text ticket
-- $8 text note
-- $9 boolean whether a second person must approve it
-- $10 timestamptz when
-- $11 text by whom
INSERT INTO finance.rerate (rerate_id, period, tenant, model, price_book_version_id, reason, ticket, note, second_person, planned_at, planned_by)
OVERRIDING SYSTEM VALUE
VALUES ($1::bigint, $2::text, $3::text, $4::text, $5::bigint, $6::text, $7::text, $8::text, $9::boolean, $10::timestamptz, $11::text);
