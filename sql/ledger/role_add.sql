-- A role.
-- $1 text its name
-- $2 boolean whether its members may give without limit
INSERT INTO finance.role (role, unlimited) VALUES ($1::text, $2::boolean);
