-- A void or a correction that a person asks for.
-- $1 text the request id
-- $2 text void or correction
-- $3 text tenant
-- $4 text source of the event that it is about
-- $5 text its id
-- $6 text the event that is booked for it
-- $7 text the quantities it found
-- $8 text reason
-- $9 text ticket
-- $10 timestamptz when
-- $11 text by whom
INSERT INTO finance.support_event (request_id, action, tenant, source, id, event, before, reason, ticket, asked_at, asked_by)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::timestamptz, $11::text);
