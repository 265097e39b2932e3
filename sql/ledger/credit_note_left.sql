-- What is left of what money pays of each line of an invoice: not yet credited.  Lines about the same thing have the same key, the first one's
-- number; an adjustment's line has 0.
-- $1 bigint invoice
SELECT l.line,
       CASE WHEN l.adjustment_id IS NULL
            THEN min(l.line) OVER (PARTITION BY l.adjustment_id IS NULL, l.kind, l.model, l.service_tier, l.meter) ELSE 0 END,
       l.amount_minor - u.amount - (n.amount - n.credits)
  FROM finance.invoice_line l
 CROSS JOIN LATERAL (
	SELECT COALESCE(sum(amount_minor), 0)::bigint AS amount FROM finance.credit_use_line WHERE invoice_id = l.invoice_id AND line = l.line) u
 CROSS JOIN LATERAL (
	SELECT COALESCE(sum(amount_minor), 0)::bigint AS amount, COALESCE(sum(credits_minor), 0)::bigint AS credits
	  FROM finance.credit_note_line WHERE invoice_id = l.invoice_id AND line = l.line) n
 WHERE l.invoice_id = $1::bigint
 ORDER BY l.line;
