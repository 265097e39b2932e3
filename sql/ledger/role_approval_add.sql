-- Above which sum of differences a re-rate needs a second person.
-- $1 text the currency
-- $2 bigint the sum, in minor units
INSERT INTO finance.approval_limit (currency, above_minor) VALUES ($1::text, $2::bigint);
