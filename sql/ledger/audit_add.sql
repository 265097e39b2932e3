-- An audit row.
-- $1 timestamptz when
-- $2 text who
-- $3 text action
-- $4 text subject
-- $5 text reason
-- $6 text ticket
-- $7 text the state it found
-- $8 text the state it left
INSERT INTO finance.audit_log (at, who, action, subject, reason, ticket, before, after)
VALUES ($1::timestamptz, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text);
