-- Writes a draft's amounts, once its lines are there.
-- $1 bigint invoice
-- $2 bigint tax in minor units
-- $3 bigint total in minor units, with the tax
-- $4 numeric sum of the lines before rounding
UPDATE finance.invoice SET tax_minor = $2::bigint, total_minor = $3::bigint, exact_total = $4::numeric
 WHERE invoice_id = $1::bigint AND status = 'draft';
