-- The same as usage_copy_sizes.sql, where engines or tags are told apart.  Reversals written before 0004_request_classes.sql have no context.
COPY (
	SELECT batch_id, event_time, series_id, requests, input_text_uncached_tokens, input_text_cache_read_tokens,
	       input_text_cache_write_5m_tokens, input_text_cache_write_1h_tokens, output_text_tokens,
	       output_reasoning_tokens, extra, context_input_tokens,
	       CASE WHEN kind = 2 AND context IS NULL THEN metering.original_context(event_id, event_time) ELSE context END
	  FROM metering.usage_event
	 WHERE batch_id BETWEEN (SELECT current_setting('tollbook.first_batch')::bigint)
	                    AND (SELECT current_setting('tollbook.last_batch')::bigint)
) TO STDOUT (FORMAT binary);
