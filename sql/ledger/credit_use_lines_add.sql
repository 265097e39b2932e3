-- Lines that uses paid for.
-- $1 bigint[] entries, one for each line
-- $2 bigint[] invoices
-- $3 integer[] lines
-- $4 bigint[] amounts in minor units
INSERT INTO finance.credit_use_line (entry_id, invoice_id, line, amount_minor)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[]);
