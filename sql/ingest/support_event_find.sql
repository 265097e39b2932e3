-- What was asked with a request id, and the quantities it found.
-- $1 text the request id
SELECT action, tenant, source, id, reason, ticket, event, before FROM finance.support_event WHERE request_id = $1::text;
