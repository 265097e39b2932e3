-- The ledger rows of an event and its corrections, in the order they were booked, with where they were read from.
-- $1 uuid[] the events
SELECT CASE WHEN e.kind = 2 THEN 'taken back' WHEN c.original_event_id IS NOT NULL THEN 'correction' ELSE 'usage' END,
       to_char(e.event_time, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), o.name, e.id, s.model, s.service_tier, q.words, q.tree, e.batch_id,
       b.first_record + e.ordinal, p.name, to_char(b.appended_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), x.rating_run, e.event_id, c.original_event_id
  FROM metering.usage_key k
  JOIN metering.usage_event e ON e.batch_id = k.batch_id AND e.event_id = k.event_id
  JOIN metering.usage_series s USING (series_id)
  JOIN metering.event_source o USING (event_source_id)
  JOIN metering.ingest_batch b ON b.batch_id = e.batch_id
  JOIN metering.source_position p USING (position_id)
  LEFT JOIN metering.usage_correction c ON c.event_id = e.event_id
  LEFT JOIN metering.summed_batch x ON x.batch_id = e.batch_id
 CROSS JOIN LATERAL (
	SELECT string_agg(m.name || ' ' || trim_scale(a.quantity * 10::numeric ^ -m.decimals), ', ' ORDER BY m.meter_id) AS words,
	       COALESCE(jsonb_object_agg(m.name, trim_scale(a.quantity * 10::numeric ^ -m.decimals)), '{}') AS tree
	  FROM (SELECT h.meter_id, j.value::numeric AS quantity
	          FROM jsonb_each_text(to_jsonb(e)) j JOIN metering.meter h ON h.name = j.key WHERE j.value IS NOT NULL
	        UNION ALL
	        SELECT e.extra[i], e.extra[i + 1] FROM generate_series(1, cardinality(e.extra), 2) i) a
	  JOIN metering.meter m USING (meter_id)) q
 WHERE k.event_id = ANY($1::uuid[])
 ORDER BY e.batch_id, e.ordinal, e.kind DESC;
