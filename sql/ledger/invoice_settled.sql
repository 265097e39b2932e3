-- What became of the totals of final invoices, in the order of the list, and of each in the order it happened: credits that were drawn,
-- payments, credit notes, what was written off; last, which of the list it is about.  Of it, what was so when they were issued: credits
-- drawn, and what the tenants' balances paid.
-- $1 bigint[] invoices
-- $2 boolean only what was so when they were issued
SELECT x.what, x.amount_minor, x.before_minor, x.after_minor, x.note, o.place
  FROM unnest($1::bigint[]) WITH ORDINALITY AS o (invoice_id, place)
 CROSS JOIN LATERAL (
	SELECT 1 AS kind, e.entry_id AS id, 'credit ' || e.grant_id AS what, e.amount_minor, e.balance_before AS before_minor,
	       e.balance_after AS after_minor, g.kind AS note
	  FROM finance.credit_entry e JOIN finance.credit_grant g USING (grant_id) WHERE e.invoice_id = o.invoice_id
	UNION ALL
	SELECT 2, payment_id, 'payment', -amount_minor, excess_minor, recovered_minor,
	       CASE method WHEN 'balance' THEN 'from the balance' ELSE reference || ' of ' || paid_on END
	  FROM finance.payment WHERE invoice_id = o.invoice_id AND (method = 'balance' OR NOT $2::boolean)
	UNION ALL
	SELECT 3, credit_note_id, 'credited', -total_minor, balance_minor, refund_minor, number || ' of ' || issued_on
	  FROM finance.credit_note WHERE invoice_id = o.invoice_id AND NOT $2::boolean
	UNION ALL
	SELECT 4, invoice_id, 'written off', -amount_minor, 0, 0, reason || ', ' || ticket
	  FROM finance.write_off WHERE invoice_id = o.invoice_id AND NOT $2::boolean) x
 ORDER BY o.place, x.kind, x.id;
