-- Throws drafts of adjustments alone away, with their lines: what is on them goes on the next invoice there is.
-- $1 text period, '' for all
-- $2 text tenant, '' for all
DELETE FROM finance.invoice
 WHERE kind = 'adjustment' AND status = 'draft' AND ($1::text = '' OR period = $1::text) AND ($2::text = '' OR tenant = $2::text);
