-- A line that a use paid for.
-- $1 bigint entry
-- $2 bigint invoice
-- $3 integer line
-- $4 bigint amount in minor units
INSERT INTO finance.credit_use_line (entry_id, invoice_id, line, amount_minor) VALUES ($1::bigint, $2::bigint, $3::integer, $4::bigint);
