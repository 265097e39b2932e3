-- Every ledger row as ledger/batch.c sent it, in the order the digests cover them, in binary.
COPY (
	SELECT batch_id, ordinal, kind, event_id, event_time, series_id, event_source_id, id, flags, context_input_tokens, requests,
	       input_text_uncached_tokens, input_text_cache_read_tokens, input_text_cache_write_5m_tokens,
	       input_text_cache_write_1h_tokens, output_text_tokens, output_reasoning_tokens, extra, context
	  FROM metering.usage_event
	 ORDER BY batch_id, ordinal, kind
) TO STDOUT (FORMAT binary);
