-- The next entry of a grant: it begins where the one before it ended.  A revoke without a request gets one made up.
-- $1 bigint grant
-- $2 text kind
-- $3 bigint amount in minor units, below zero where the balance falls
-- $4 bigint invoice of a use, else NULL
-- $5 bigint credit note of a restore, else NULL
-- $6 text request, or NULL
-- $7 text reason, or NULL
-- $8 text ticket
-- $9 timestamptz when
-- $10 text by whom
INSERT INTO finance.credit_entry (grant_id, place, kind, amount_minor, balance_before, balance_after, invoice_id, credit_note_id, request_id,
       reason, ticket, booked_at, booked_by)
SELECT g.grant_id, COALESCE(e.place, 0) + 1, $2::text, $3::bigint, COALESCE(e.balance_after, 0), COALESCE(e.balance_after, 0) + $3::bigint,
       $4::bigint, $5::bigint, CASE WHEN $2::text = 'revoke' THEN COALESCE($6::text, gen_random_uuid()::text) END, $7::text, $8::text,
       $9::timestamptz, $10::text
  FROM finance.credit_grant g
  LEFT JOIN LATERAL (SELECT place, balance_after FROM finance.credit_entry WHERE grant_id = g.grant_id ORDER BY place DESC LIMIT 1) e ON true
 WHERE g.grant_id = $1::bigint
RETURNING entry_id;
