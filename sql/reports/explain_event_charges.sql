-- What the rating in force says about the usage of events, meter by meter: the charges and holds on the same model, service tier and meter
-- whose intervals are around theirs.  Aborted usage that is held is in the hold for that alone, and no other usage is.  What was summed
-- after the charges were settled is in none of them, but in what is held for that.
-- $1 uuid[] the events
-- $2 bigint rating
WITH used AS MATERIALIZED (
	SELECT s.model, s.service_tier, a.meter_id, date_bin('15 minutes', e.event_time, '2000-01-01 00:00:00+00') AS starts,
	       COALESCE(x.rating_run > r.priced_until, false) AS late, s.status = 'aborted' AS aborted, sum(a.quantity) AS quantity
	  FROM metering.booked_rows($1::uuid[]) e
	  JOIN metering.usage_series s USING (series_id)
	  LEFT JOIN metering.summed_batch x ON x.batch_id = e.batch_id
	  LEFT JOIN finance.rating r ON r.rating_id = $2::bigint
	 CROSS JOIN LATERAL (
		SELECT h.meter_id, j.value::numeric AS quantity FROM jsonb_each_text(to_jsonb(e)) j JOIN metering.meter h ON h.name = j.key WHERE j.value IS NOT NULL
		UNION ALL
		SELECT e.extra[i], e.extra[i + 1] FROM generate_series(1, cardinality(e.extra), 2) i) a
	 GROUP BY 1, 2, 3, 4, 5, 6
), rated AS (
	SELECT c.model, c.service_tier, c.meter_id, c.first_interval, c.last_interval, 'charge' AS fate, c.ordinal, c.kind, c.tier, c.price, c.per,
	       c.quantity, c.amount, c.currency, b.book || ' v' || b.version || CASE WHEN c.rule > 0 THEN ' rule ' || c.rule ELSE '' END AS price_rule,
	       NULL AS reason, c.detail
	  FROM finance.charge c LEFT JOIN finance.price_book_version b USING (price_book_version_id)
	 WHERE c.rating_id = $2::bigint
	UNION ALL
	SELECT h.model, h.service_tier, h.meter_id, h.first_interval, h.last_interval, 'hold', h.ordinal, NULL, NULL, NULL, NULL, h.quantity, NULL, NULL, NULL,
	       h.reason, NULL
	  FROM finance.hold h
	 WHERE h.rating_id = $2::bigint
)
SELECT u.model, u.service_tier, m.name, trim_scale(u.quantity * 10::numeric ^ -m.decimals), r.fate, r.ordinal, r.kind, r.tier, trim_scale(r.price), r.per,
       trim_scale(r.quantity * 10::numeric ^ -m.decimals), trim_scale(r.amount), r.currency, r.price_rule, r.reason, r.detail
  FROM used u
  JOIN metering.meter m USING (meter_id)
  LEFT JOIN rated r ON r.model = u.model AND r.service_tier = u.service_tier AND r.meter_id = u.meter_id AND u.quantity <> 0
   AND r.first_interval <= u.starts AND u.starts <= r.last_interval
   AND CASE WHEN u.late THEN COALESCE(r.reason IN ('period_invoiced', 'period_closed'), false) ELSE r.reason IS DISTINCT FROM 'period_invoiced' END
   AND (u.late OR (r.reason IS NOT DISTINCT FROM 'aborted_usage') = (u.aborted AND EXISTS (
	SELECT FROM rated h
	 WHERE h.reason = 'aborted_usage' AND h.model = u.model AND h.service_tier = u.service_tier AND h.meter_id = u.meter_id
	   AND h.first_interval <= u.starts AND u.starts <= h.last_interval)))
 ORDER BY u.model, u.service_tier, u.meter_id, r.fate, r.ordinal;
