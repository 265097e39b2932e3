-- Records in quarantine that came in batches with usage of a month, or with no usage at all since it began, with what so many events of the
-- month were charged on average, in each currency.
-- $1 text period
-- $2 timestamptz where the month begins first
-- $3 timestamptz where it ends last
WITH waiting AS (
	SELECT count(*) AS records
	  FROM metering.quarantine q
	  JOIN metering.ingest_batch b USING (batch_id)
	 WHERE NOT EXISTS (SELECT FROM metering.quarantine_resolution r WHERE r.quarantine_id = q.quarantine_id)
	   AND CASE WHEN b.first_event_time IS NULL THEN b.appended_at >= $2::timestamptz
	            ELSE b.first_event_time < $3::timestamptz AND b.last_event_time >= $2::timestamptz END
), events AS (
	SELECT sum(accepted) AS events FROM metering.ingest_batch WHERE first_event_time < $3::timestamptz AND last_event_time >= $2::timestamptz
), charged AS (
	SELECT h.currency, sum(h.amount) AS amount
	  FROM finance.rating_in_force f JOIN finance.charge h USING (rating_id) WHERE f.period = $1::text GROUP BY h.currency
)
SELECT w.records || CASE w.records WHEN 1 THEN ' record waits' ELSE ' records wait' END || ' in quarantine; estimated by the average event',
       round(c.amount * w.records / e.events, 6), COALESCE(c.currency, '')
  FROM waiting w
 CROSS JOIN events e
  LEFT JOIN charged c ON e.events > 0
 WHERE w.records > 0
 ORDER BY c.currency;
