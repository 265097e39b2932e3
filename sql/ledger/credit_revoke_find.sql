-- The revoke that a request made; no row where there is none.
-- $1 text request
SELECT entry_id, grant_id, reason, ticket FROM finance.credit_entry WHERE request_id = $1::text;
