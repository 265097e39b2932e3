-- Uses of grants, each the next entry of its grant: it begins where the one before it ended.
-- $1 bigint[] grants, each once
-- $2 bigint[] amounts in minor units, below zero
-- $3 bigint[] invoices
-- $4 timestamptz when
-- $5 text by whom
INSERT INTO finance.credit_entry (grant_id, place, kind, amount_minor, balance_before, balance_after, invoice_id, ticket, booked_at, booked_by)
SELECT u.grant_id, e.place + 1, 'use', u.amount_minor, e.balance_after, e.balance_after + u.amount_minor, u.invoice_id, '', $4::timestamptz, $5::text
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS u (grant_id, amount_minor, invoice_id, place)
 CROSS JOIN LATERAL (SELECT place, balance_after FROM finance.credit_entry WHERE grant_id = u.grant_id ORDER BY place DESC LIMIT 1) e
 ORDER BY u.place
RETURNING entry_id, grant_id;
