-- An event and what took its place, one after the other, the newest last; no row where the ledger does not have the event.
-- $1 uuid the event's identity, hexadecimal
WITH RECURSIVE chain AS (
	SELECT 1 AS place, k.event_id, k.batch_id FROM metering.usage_keys(ARRAY[$1::uuid]) k
	UNION ALL
	SELECT chain.place + 1, c.event_id, c.batch_id
	  FROM chain JOIN metering.usage_correction c ON c.original_event_id = chain.event_id
)
SELECT CASE WHEN e.kind = 2 THEN 'void' WHEN chain.place > 1 OR EXISTS (SELECT FROM metering.usage_correction c WHERE c.event_id = e.event_id)
            THEN 'correction' ELSE 'usage' END,
       o.name, e.id, (extract(epoch FROM e.event_time) * 1000000)::bigint, to_char(b.appended_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       COALESCE(s.reason, ''), COALESCE(s.ticket, ''), COALESCE(s.asked_by, ''), e.flags, e.context_input_tokens,
       CASE WHEN e.kind = 2 THEN '' ELSE concat_ws(',', '1:' || e.requests, '2:' || e.input_text_uncached_tokens,
            '3:' || e.input_text_cache_read_tokens, '4:' || e.input_text_cache_write_5m_tokens, '5:' || e.input_text_cache_write_1h_tokens,
            '6:' || e.output_text_tokens, '7:' || e.output_reasoning_tokens,
            (SELECT string_agg(e.extra[i] || ':' || e.extra[i + 1], ',' ORDER BY i)
               FROM generate_series(1, COALESCE(array_length(e.extra, 1), 0), 2) AS i)) END,
       COALESCE(e.context, ''),
       x.tenant, x.model, x.base_model, x.adapter_kind, x.adapter, x.provider, x.operation, x.service_tier, x.speed, x.region, x.deployment,
       x.status, x.served_from, x.method, x.project, x.api_key
  FROM chain
 CROSS JOIN LATERAL (SELECT * FROM metering.booked_rows(ARRAY[chain.event_id]) u ORDER BY u.kind LIMIT 1) e
  JOIN metering.ingest_batch b ON b.batch_id = chain.batch_id
  JOIN metering.event_source o USING (event_source_id)
  JOIN metering.usage_series x USING (series_id)
  LEFT JOIN finance.support_event s ON o.name = '/support' AND s.request_id = e.id AND s.tenant = x.tenant
 ORDER BY chain.place;
