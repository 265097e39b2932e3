-- The invoices that credits paid, and whose period comes to less by a re-rate; with the rating that is in force now.
-- $1 bigint re-rate
SELECT v.invoice_id, a.new_rating_id, v.number
  FROM (SELECT tenant, original_period, new_rating_id, sum(amount_minor) AS minor
          FROM finance.adjustment WHERE rerate_id = $1::bigint AND outcome = 'next_invoice' GROUP BY tenant, original_period, new_rating_id) a
  JOIN finance.invoiced_period c ON c.tenant = a.tenant AND c.period = a.original_period
  JOIN finance.invoice v USING (invoice_id)
 WHERE a.minor < 0 AND v.credits_minor > 0
 ORDER BY v.invoice_id;
