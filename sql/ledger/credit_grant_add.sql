-- A grant; its first entry is written next.
-- $1 text request, NULL for one made up
-- $2 text tenant
-- $3 text issuer
-- $4 text kind
-- $5 text currency
-- $6 smallint minor units of the currency
-- $7 bigint amount in minor units
-- $8 timestamptz starts
-- $9 timestamptz expires, NULL for never
-- $10 integer priority
-- $11 text model pattern, '' for every model
-- $12 text[] meters, none for every meter
-- $13 text reason
-- $14 text ticket
-- $15 text note
-- $16 timestamptz when
-- $17 text by whom
INSERT INTO finance.credit_grant (request_id, tenant, issuer, kind, currency, minor_units, amount_minor, starts, expires, priority,
       model_pattern, meters, reason, ticket, note, granted_at, granted_by)
VALUES (COALESCE($1::text, gen_random_uuid()::text), $2::text, $3::text, $4::text, $5::text, $6::smallint, $7::bigint, $8::timestamptz,
       $9::timestamptz, $10::integer, $11::text, $12::text[], $13::text, $14::text, $15::text, $16::timestamptz, $17::text)
RETURNING grant_id;
