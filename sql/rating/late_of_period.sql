-- What came for a period after a run, by time and name.  (One series at a time through its index: else all of a month is read for each of
-- its tenants.)
-- $1 text tenant
-- $2 timestamptz start
-- $3 timestamptz end, not included
-- $4 bigint the newest run whose increments count
-- $5 bigint the run after which increments count
SELECT (extract(epoch FROM i.interval_start) * 1000000)::bigint, s.model, s.service_tier, i.meter_id, sum(i.quantity)
  FROM metering.usage_series s
 CROSS JOIN LATERAL (
	SELECT q.interval_start, q.meter_id, q.quantity
	  FROM metering.interval_quantity q
	 WHERE q.series_id = s.series_id AND q.interval_start >= $2::timestamptz AND q.interval_start < $3::timestamptz
	   AND q.rating_run <= $4::bigint AND q.rating_run > $5::bigint
	OFFSET 0) i
 WHERE s.tenant = $1::text
 GROUP BY i.interval_start, s.model, s.service_tier, i.meter_id
HAVING sum(i.quantity) <> 0
 ORDER BY i.interval_start, s.model, s.service_tier, i.meter_id;
