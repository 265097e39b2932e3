-- An audit row.
-- $1 timestamptz when
-- $2 text who
-- $3 text action
-- $4 text subject
-- $5 text reason
INSERT INTO finance.audit_log (at, who, action, subject, reason)
VALUES ($1::timestamptz, $2::text, $3::text, $4::text, $5::text);
