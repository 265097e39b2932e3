-- Money on its way to an invoice: charges without one, drafts, when the next is due, adjustments; and what is owed on invoices.
-- $1 timestamptz now
-- $2 integer hours of grace where a contract states none
WITH open AS MATERIALIZED (
	SELECT f.rating_id, p.ends + make_interval(hours => COALESCE(c.grace_hours, $2::integer)) AS due,
	       NOT EXISTS (SELECT FROM finance.period_state s WHERE s.period = f.period AND s.state <> 'open') AS is_open
	  FROM finance.rating_in_force f
	  JOIN finance.billing_period p ON p.tenant = f.tenant AND p.period = f.period
	  LEFT JOIN LATERAL (SELECT grace_hours FROM finance.contract WHERE tenant = f.tenant AND effective < p.ends ORDER BY effective DESC LIMIT 1) c ON true
	 WHERE NOT EXISTS (SELECT FROM finance.invoiced_period i WHERE i.tenant = f.tenant AND i.period = f.period)
	   AND NOT EXISTS (SELECT FROM finance.adjusted_period a WHERE a.tenant = f.tenant AND a.period = f.period)
), charged AS MATERIALIZED (
	-- Rating by rating: what is open is a small part of all charges there are.
	SELECT o.rating_id, o.due, o.is_open, h.currency, h.amount, h.is_priced
	  FROM open o
	 CROSS JOIN LATERAL (SELECT currency, sum(amount) AS amount, bool_or(price <> 0) AS is_priced
	                       FROM finance.charge WHERE rating_id = o.rating_id GROUP BY currency) h
), due AS (
	SELECT rating_id, due FROM charged WHERE is_open AND is_priced GROUP BY rating_id, due
), next AS (
	SELECT due, count(*) AS periods FROM due WHERE due > $1::timestamptz GROUP BY due ORDER BY due LIMIT 1
), draft AS (
	SELECT currency, count(*) AS drafts, round(sum(net_minor / 10::numeric ^ minor_units), max(minor_units)) AS net FROM finance.invoice WHERE status = 'draft' GROUP BY currency
), adjustment AS (
	SELECT currency, count(*) AS adjustments, round(sum(amount_minor / 10::numeric ^ minor_units), max(minor_units)) AS amount FROM finance.adjustment_waiting GROUP BY currency
), noted AS (
	SELECT invoice_id, sum(balance_minor + refund_minor - total_minor) AS minor FROM finance.credit_note GROUP BY invoice_id
), paid AS (
	SELECT invoice_id, sum(excess_minor + recovered_minor - amount_minor) AS minor FROM finance.payment GROUP BY invoice_id
), standing AS (
	-- due_minor of finance.invoice_standing, of all invoices at once.
	SELECT v.currency, v.minor_units, v.total_minor + COALESCE(n.minor, 0) + COALESCE(p.minor, 0) - COALESCE(w.amount_minor, 0) AS due_minor
	  FROM finance.invoice v LEFT JOIN noted n USING (invoice_id) LEFT JOIN paid p USING (invoice_id) LEFT JOIN finance.write_off w USING (invoice_id)
	 WHERE v.status = 'final'
), owed AS (
	SELECT currency, count(*) AS invoices, round(sum(due_minor / 10::numeric ^ minor_units), max(minor_units)) AS amount
	  FROM standing WHERE due_minor > 0 GROUP BY currency
)
SELECT kind, fact, label, value
  FROM (SELECT 1 AS place, 'unbilled' AS kind, 'tenant_periods' AS fact, '' AS label, count(DISTINCT rating_id)::text AS value FROM charged WHERE is_priced
        UNION ALL SELECT 2, 'unbilled', 'amount', currency, trim_scale(sum(amount))::text FROM charged GROUP BY currency HAVING sum(amount) <> 0
        UNION ALL SELECT 3, 'drafts', 'count', '', COALESCE(sum(drafts), 0)::text FROM draft
        UNION ALL SELECT 4, 'drafts', 'net', currency, net::text FROM draft
        UNION ALL SELECT 5, 'due', 'now', '', count(*)::text FROM due WHERE due <= $1::timestamptz
        UNION ALL SELECT 6, 'due', 'next', '', (SELECT (extract(epoch FROM due) * 1000000)::bigint::text FROM next)
        UNION ALL SELECT 7, 'due', 'next_tenant_periods', '', COALESCE((SELECT periods FROM next), 0)::text
        UNION ALL SELECT 8, 'adjustments', 'waiting', '', COALESCE(sum(adjustments), 0)::text FROM adjustment
        UNION ALL SELECT 9, 'adjustments', 'amount', currency, amount::text FROM adjustment
        UNION ALL SELECT 10, 'invoices', 'final', '', count(*)::text FROM finance.invoice WHERE status = 'final'
        UNION ALL SELECT 11, 'invoices', 'owed', '', COALESCE(sum(invoices), 0)::text FROM owed
        UNION ALL SELECT 12, 'invoices', 'due', currency, amount::text FROM owed) x
 ORDER BY place, label COLLATE "C";
