-- What members of a role may give in a currency.
-- $1 text the role
-- $2 text the currency
-- $3 bigint at once, in minor units
-- $4 bigint a day
INSERT INTO finance.role_limit (role, currency, per_grant_minor, per_day_minor)
VALUES ($1::text, $2::text, $3::bigint, $4::bigint);
