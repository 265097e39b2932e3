-- Interval sums of series, each within its own borders, in binary.
COPY (
	SELECT i.series_id, i.interval_start, i.class_id, i.requests, i.input_text_uncached_tokens, i.input_text_cache_read_tokens,
	       i.input_text_cache_write_5m_tokens, i.input_text_cache_write_1h_tokens, i.output_text_tokens, i.output_reasoning_tokens
	  FROM unnest(string_to_array(current_setting('tollbook.series', true), ',')::integer[],
	              string_to_array(current_setting('tollbook.starts', true), ',')::timestamptz[],
	              string_to_array(current_setting('tollbook.ends', true), ',')::timestamptz[],
	              string_to_array(current_setting('tollbook.until', true), ',')::bigint[]) AS p (series_id, starts, ends, until)
	  JOIN metering.usage_interval i ON i.series_id = p.series_id AND i.interval_start >= p.starts AND i.interval_start < p.ends
	   AND i.rating_run <= p.until
) TO STDOUT (FORMAT binary);
