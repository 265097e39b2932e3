-- What a credit note takes of one line, or for one adjustment.
-- $1 bigint credit note
-- $2 integer place, from 1
-- $3 bigint invoice
-- $4 integer line of the invoice, or NULL
-- $5 bigint adjustment, or NULL
-- $6 bigint amount before tax
-- $7 bigint of it, what credits had paid
INSERT INTO finance.credit_note_line (credit_note_id, place, invoice_id, line, adjustment_id, amount_minor, credits_minor)
VALUES ($1::bigint, $2::integer, $3::bigint, $4::integer, $5::bigint, $6::bigint, $7::bigint);
