-- The ledger row that an event booked (not its reversals), for a correction that takes it back.  The batch number from the
-- register leads to it through the BRIN index.
-- $1 uuid the event's identity, hexadecimal
SELECT (extract(epoch FROM e.event_time) * 1000000)::bigint, e.series_id, e.context_input_tokens,
       e.requests, e.input_text_uncached_tokens, e.input_text_cache_read_tokens, e.input_text_cache_write_5m_tokens,
       e.input_text_cache_write_1h_tokens, e.output_text_tokens, e.output_reasoning_tokens,
       COALESCE((SELECT string_agg(e.extra[i] || ':' || e.extra[i + 1], ',' ORDER BY i)
          FROM generate_series(1, COALESCE(array_length(e.extra, 1), 0), 2) AS i), ''),
       e.context
  FROM metering.booked_rows(ARRAY[$1::uuid]) e
 WHERE e.kind = 1;
