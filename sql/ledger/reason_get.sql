-- A reason: what it means, and whether it is for exactly these uses.
-- $1 text the reason
-- $2 text[] the uses
SELECT meaning, used_for @> $2::text[] AND used_for <@ $2::text[] FROM finance.reason WHERE reason = $1::text;
