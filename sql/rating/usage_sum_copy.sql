-- Sums of the ledger rows of a range of batches by series and quarter of an hour, in binary; how many rows each is of, and how many of those
-- have other meters, which are in usage_copy_extra.sql.
COPY (
	SELECT series_id, date_bin('15 minutes', event_time, timestamptz '2000-01-01 00:00Z'), count(*), count(extra), sum(requests)::bigint,
	       sum(input_text_uncached_tokens)::bigint, sum(input_text_cache_read_tokens)::bigint, sum(input_text_cache_write_5m_tokens)::bigint,
	       sum(input_text_cache_write_1h_tokens)::bigint, sum(output_text_tokens)::bigint, sum(output_reasoning_tokens)::bigint
	  FROM metering.usage_event
	 WHERE batch_id BETWEEN (SELECT current_setting('tollbook.first_batch')::bigint)
	                    AND (SELECT current_setting('tollbook.last_batch')::bigint)
	 GROUP BY 1, 2
) TO STDOUT (FORMAT binary);
