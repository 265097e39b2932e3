-- An event with those that it corrects and that correct it, and where its usage stands: the quarter of an hour, the period, the rating in force, the
-- invoice that has the period.
-- $1 uuid event
WITH RECURSIVE chain (event_id) AS (
	SELECT event_id FROM metering.usage_keys(ARRAY[$1::uuid])
	UNION
	SELECT CASE WHEN u.event_id = c.event_id THEN u.original_event_id ELSE u.event_id END
	  FROM chain c JOIN metering.usage_correction u ON u.original_event_id = c.event_id OR u.event_id = c.event_id
), booked AS MATERIALIZED (
	SELECT e.kind, e.event_id, e.event_time, e.series_id, x.rating_run,
	       e.kind = 1 AND NOT EXISTS (SELECT FROM metering.usage_correction u WHERE u.original_event_id = e.event_id) AS counts
	  FROM metering.booked_rows(ARRAY(SELECT event_id FROM chain)) e
	  LEFT JOIN metering.summed_batch x ON x.batch_id = e.batch_id
)
SELECT $1::uuid, o.tenant, to_char(o.event_time, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), to_char(q.starts, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       p.period, to_char(p.starts, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(p.ends, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), p.zone,
       COALESCE(finance.period_is_closed(p.period), false), v.number, r.rating_id, r.rating_run,
       EXISTS (SELECT FROM finance.rating_due d WHERE d.tenant = o.tenant AND d.period = p.period),
       (SELECT bool_or(counts) FROM booked), (SELECT bool_and(rating_run IS NOT NULL) FROM booked),
       (SELECT array_agg(event_id)::text FROM chain)
  FROM (SELECT s.tenant, b.event_time FROM booked b JOIN metering.usage_series s USING (series_id) LIMIT 1) o
 CROSS JOIN LATERAL (SELECT date_bin('15 minutes', o.event_time, '2000-01-01 00:00:00+00') AS starts) q
  LEFT JOIN finance.billing_period p ON p.tenant = o.tenant AND p.starts <= o.event_time AND o.event_time < p.ends
  LEFT JOIN finance.invoiced_period i ON i.tenant = o.tenant AND i.period = p.period
  LEFT JOIN finance.invoice v USING (invoice_id)
  LEFT JOIN finance.current_rating r ON r.tenant = o.tenant AND r.period = p.period;
