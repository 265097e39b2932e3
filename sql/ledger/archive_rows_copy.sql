-- The ledger rows of a range of batches as ledger/batch_rows.c sent them, in the order the digests cover them, in binary.
COPY (
	SELECT batch_id, ordinal, kind, event_id, event_time, series_id, event_source_id, id, flags, context_input_tokens, requests,
	       input_text_uncached_tokens, input_text_cache_read_tokens, input_text_cache_write_5m_tokens,
	       input_text_cache_write_1h_tokens, output_text_tokens, output_reasoning_tokens, extra, context
	  FROM metering.usage_event
	 WHERE batch_id BETWEEN (SELECT current_setting('tollbook.first_batch')::bigint)
	                    AND (SELECT current_setting('tollbook.last_batch')::bigint)
	   AND event_time BETWEEN (SELECT current_setting('tollbook.since')::timestamptz)
	                      AND (SELECT current_setting('tollbook.before')::timestamptz)
	 ORDER BY batch_id, ordinal, kind
) TO STDOUT (FORMAT binary);
