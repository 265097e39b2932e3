-- Throws the drafts of a tenant away that bill an adjustment that does not wait any more.
-- $1 text tenant
DELETE FROM finance.invoice v
 WHERE v.tenant = $1::text AND v.status = 'draft'
   AND EXISTS (SELECT FROM finance.invoice_line l
                WHERE l.invoice_id = v.invoice_id AND l.adjustment_id IS NOT NULL
                  AND NOT EXISTS (SELECT FROM finance.adjustment_waiting w WHERE w.adjustment_id = l.adjustment_id));
