-- Whether a reason is there and is for a use, and all reasons that are for it.
-- $1 text the reason
-- $2 text the use
SELECT EXISTS (SELECT FROM finance.reason WHERE reason = $1::text),
       EXISTS (SELECT FROM finance.reason WHERE reason = $1::text AND $2::text = ANY (used_for)),
       COALESCE((SELECT string_agg(reason, ', ' ORDER BY reason) FROM finance.reason WHERE $2::text = ANY (used_for)), '');
