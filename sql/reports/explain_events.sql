-- The ledger rows of a line's usage, by time, with where they were read from.
-- $1 text tenant
-- $2 text model
-- $3 text service tier
-- $4 smallint meter
-- $5 timestamptz start of the period
-- $6 timestamptz its end, not included
-- $7 bigint the newest run whose batches count
-- $8 bigint at most so many
WITH used AS MATERIALIZED (
	SELECT q.event_time, q.event_source_id, q.id, q.kind, q.quantity, q.batch_id, q.ordinal
	  FROM metering.event_quantity q
	 WHERE q.series_id IN (
		SELECT s.series_id FROM metering.usage_series s
		 WHERE s.tenant = $1::text AND s.model = $2::text AND s.service_tier = $3::text)
	   AND q.batch_id IN (SELECT x.batch_id FROM metering.summed_batch x WHERE x.rating_run <= $7::bigint)
	   AND q.meter_id = $4::smallint AND q.event_time >= $5::timestamptz AND q.event_time < $6::timestamptz
	 ORDER BY q.event_time, q.batch_id, q.ordinal, q.kind
	 LIMIT $8::bigint
)
SELECT to_char(q.event_time, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), o.name, q.id, CASE q.kind WHEN 1 THEN 'usage' ELSE 'reversal' END,
       trim_scale(q.quantity * 10::numeric ^ -m.decimals), q.batch_id, b.first_record + q.ordinal, p.name
  FROM used q
  JOIN metering.meter m ON m.meter_id = $4::smallint
  JOIN metering.ingest_batch b USING (batch_id)
  JOIN metering.source_position p USING (position_id)
  JOIN metering.event_source o USING (event_source_id)
 ORDER BY q.event_time, q.batch_id, q.ordinal, q.kind;
