-- Writes a draft's totals, once its lines are there.
-- $1 bigint invoice
-- $2 bigint total in minor units
-- $3 numeric total before rounding
UPDATE finance.invoice SET total_minor = $2::bigint, exact_total = $3::numeric WHERE invoice_id = $1::bigint AND status = 'draft';
