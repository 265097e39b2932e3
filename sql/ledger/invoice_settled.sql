-- What became of a final invoice's total, in the order it happened: credits that were drawn, payments, credit notes, what was written off.
-- Of it, what was so when it was issued: credits drawn, and what the tenant's balance paid.
-- $1 bigint invoice
-- $2 boolean only what was so when it was issued
SELECT what, amount_minor, before_minor, after_minor, note FROM (
	SELECT 1 AS place, e.entry_id AS id, 'credit ' || e.grant_id AS what, e.amount_minor, e.balance_before AS before_minor,
	       e.balance_after AS after_minor, g.kind AS note
	  FROM finance.credit_entry e JOIN finance.credit_grant g USING (grant_id) WHERE e.invoice_id = $1::bigint
	UNION ALL
	SELECT 2, payment_id, 'payment', -amount_minor, excess_minor, recovered_minor,
	       CASE method WHEN 'balance' THEN 'from the balance' ELSE reference || ' of ' || paid_on END
	  FROM finance.payment WHERE invoice_id = $1::bigint AND (method = 'balance' OR NOT $2::boolean)
	UNION ALL
	SELECT 3, credit_note_id, 'credited', -total_minor, balance_minor, refund_minor, number || ' of ' || issued_on
	  FROM finance.credit_note WHERE invoice_id = $1::bigint AND NOT $2::boolean
	UNION ALL
	SELECT 4, invoice_id, 'written off', -amount_minor, 0, 0, reason || ', ' || ticket
	  FROM finance.write_off WHERE invoice_id = $1::bigint AND NOT $2::boolean) x
 ORDER BY place, id;
