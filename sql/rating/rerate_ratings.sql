-- The ratings that a run made, each with the one that was in force before it, and what is known of its period: is it closed, was
-- anything of it ever booked, and which document does it concern?
-- $1 bigint run
SELECT r.tenant, r.period, r.rating_id, o.rating_id, encode(r.output_digest, 'hex'),
       b.tenant IS NOT NULL OR finance.period_is_closed(r.period), b.tenant IS NOT NULL,
       COALESCE(v.number, CASE WHEN EXISTS (
		SELECT FROM finance.invoice d
		 WHERE d.tenant = r.tenant AND d.period = r.period AND d.kind = 'period' AND d.status = 'draft') THEN 'draft' ELSE '' END)
  FROM finance.rating r
 CROSS JOIN LATERAL (
	SELECT rating_id FROM finance.rating e
	 WHERE e.tenant = r.tenant AND e.period = r.period AND e.rating_run < r.rating_run ORDER BY e.rating_run DESC LIMIT 1) o
  LEFT JOIN finance.booked_period b ON b.tenant = r.tenant AND b.period = r.period
  LEFT JOIN finance.invoiced_period c ON c.tenant = r.tenant AND c.period = r.period
  LEFT JOIN finance.invoice v ON v.invoice_id = c.invoice_id
 WHERE r.rating_run = $1::bigint
 ORDER BY r.tenant, r.period;
