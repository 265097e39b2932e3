-- A tenant's ledger rows of a period, in the order of events, in binary; a correction takes back before it books.  Reversals written before 0004_request_classes.sql have no context.
COPY (
	SELECT e.event_time, e.kind::integer, e.series_id, b.rating_run, o.name, e.id, e.requests, e.input_text_uncached_tokens,
	       e.input_text_cache_read_tokens, e.input_text_cache_write_5m_tokens, e.input_text_cache_write_1h_tokens,
	       e.output_text_tokens, e.output_reasoning_tokens, e.extra, e.context_input_tokens,
	       CASE WHEN (SELECT current_setting('tollbook.with_context') = 'true')
	            THEN CASE WHEN e.kind = 2 AND e.context IS NULL THEN metering.original_context(e.event_id, e.event_time) ELSE e.context END END
	  FROM metering.usage_series s
	  JOIN metering.usage_event e USING (series_id)
	  JOIN metering.summed_batch b USING (batch_id)
	  JOIN metering.event_source o USING (event_source_id)
	 WHERE s.tenant = (SELECT current_setting('tollbook.tenant'))
	   AND e.event_time >= (SELECT current_setting('tollbook.since')::timestamptz)
	   AND e.event_time < (SELECT current_setting('tollbook.before')::timestamptz)
	   AND b.rating_run <= (SELECT current_setting('tollbook.last_run')::bigint)
	 ORDER BY e.event_time, e.batch_id, e.ordinal, e.kind DESC
) TO STDOUT (FORMAT binary);
