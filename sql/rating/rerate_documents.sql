-- The periods that a re-rate changes, with the documents concerned and what was credited of them already.
-- $1 bigint re-rate
SELECT i.tenant, i.period, CASE WHEN i.closed THEN 'closed' ELSE 'open' END, i.document, i.currency,
       finance.amount_shown(i.old_amount, i.minor_units), finance.amount_shown(i.new_amount, i.minor_units),
       finance.amount_shown(i.new_amount - i.old_amount, i.minor_units), i.minor_units,
       (SELECT sum(n.total_minor)::bigint FROM finance.credit_note n JOIN finance.invoice v USING (invoice_id) WHERE v.number = i.document)
  FROM finance.rerate_item i
 WHERE i.rerate_id = $1::bigint
   AND EXISTS (SELECT FROM finance.rerate_difference d WHERE d.rerate_id = i.rerate_id AND d.place = i.place)
 ORDER BY i.place;
