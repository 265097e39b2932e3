-- Writes what finalizing found out into the draft: the credits drawn, and the tax on what they leave.
-- $1 bigint invoice
-- $2 bigint credits in minor units
-- $3 bigint tax
-- $4 bigint total
UPDATE finance.invoice SET credits_minor = $2::bigint, tax_minor = $3::bigint, total_minor = $4::bigint
 WHERE invoice_id = $1::bigint AND status = 'draft';
