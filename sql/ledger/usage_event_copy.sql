-- Ledger rows, in binary, in the order of encode_row() in ledger/batch.c.
COPY metering.usage_event (batch_id, ordinal, kind, event_id, event_time, series_id, event_source_id, id, flags,
	context_input_tokens, requests, input_text_uncached_tokens, input_text_cache_read_tokens,
	input_text_cache_write_5m_tokens, input_text_cache_write_1h_tokens, output_text_tokens, output_reasoning_tokens,
	extra, context) FROM STDIN (FORMAT binary);
