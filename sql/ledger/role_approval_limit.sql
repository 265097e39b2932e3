-- Above which sum of differences, in minor units, a re-rate needs a second person; 0 where none is stated.
-- $1 text the currency
SELECT COALESCE((SELECT above_minor FROM finance.approval_limit WHERE currency = $1::text), 0);
