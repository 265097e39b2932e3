-- The ledger rows of an event and its corrections, in the order they were booked, with where they were read from.
-- $1 uuid[] the events
WITH booked AS MATERIALIZED (
	SELECT * FROM metering.booked_rows($1::uuid[])
), metered AS (
	SELECT e.batch_id, e.ordinal, e.kind, string_agg(m.name || ' ' || trim_scale(a.quantity * 10::numeric ^ -m.decimals), ', ' ORDER BY m.meter_id) AS words,
	       jsonb_object_agg(m.name, trim_scale(a.quantity * 10::numeric ^ -m.decimals)) AS tree
	  FROM booked e
	 CROSS JOIN LATERAL (
		SELECT h.meter_id, j.value::numeric AS quantity FROM jsonb_each_text(to_jsonb(e)) j JOIN metering.meter h ON h.name = j.key WHERE j.value IS NOT NULL
		UNION ALL
		SELECT e.extra[i], e.extra[i + 1] FROM generate_series(1, cardinality(e.extra), 2) i) a
	  JOIN metering.meter m USING (meter_id)
	 GROUP BY e.batch_id, e.ordinal, e.kind
)
SELECT CASE WHEN e.kind = 2 THEN 'taken back' WHEN c.original_event_id IS NOT NULL THEN 'correction' ELSE 'usage' END,
       to_char(e.event_time, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), o.name, e.id, s.model, s.service_tier, q.words, COALESCE(q.tree, '{}'), e.batch_id,
       b.first_record + e.ordinal, p.name, to_char(b.appended_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), x.rating_run, e.event_id, c.original_event_id
  FROM booked e
  JOIN metering.usage_series s USING (series_id)
  JOIN metering.event_source o USING (event_source_id)
  JOIN metering.ingest_batch b ON b.batch_id = e.batch_id
  JOIN metering.source_position p USING (position_id)
  LEFT JOIN metered q ON q.batch_id = e.batch_id AND q.ordinal = e.ordinal AND q.kind = e.kind
  LEFT JOIN metering.usage_correction c ON c.event_id = e.event_id
  LEFT JOIN metering.summed_batch x ON x.batch_id = e.batch_id
 ORDER BY e.batch_id, e.ordinal, e.kind DESC;
