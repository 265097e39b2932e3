-- Interval increments of the hot meters, in binary.
COPY metering.usage_interval (rating_run, series_id, interval_start, requests, input_text_uncached_tokens, input_text_cache_read_tokens,
	input_text_cache_write_5m_tokens, input_text_cache_write_1h_tokens, output_text_tokens, output_reasoning_tokens, class_id)
	FROM STDIN (FORMAT binary);
