-- A member of a role.
-- $1 text who
-- $2 text the role
INSERT INTO finance.role_member (who, role) VALUES ($1::text, $2::text);
