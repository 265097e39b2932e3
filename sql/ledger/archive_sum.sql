-- Sums up the rows that the ledger has of a month, by series and interval.
-- $1 bigint archive
-- $2 timestamptz the month's start
-- $3 timestamptz its end
INSERT INTO metering.archived_interval (archive_id, series_id, interval_start, rows, requests, input_text_uncached_tokens, input_text_cache_read_tokens,
	input_text_cache_write_5m_tokens, input_text_cache_write_1h_tokens, output_text_tokens, output_reasoning_tokens)
SELECT $1::bigint, series_id, date_bin('15 minutes', event_time, 'epoch'), count(*), sum(requests), sum(input_text_uncached_tokens),
       sum(input_text_cache_read_tokens), sum(input_text_cache_write_5m_tokens), sum(input_text_cache_write_1h_tokens), sum(output_text_tokens),
       sum(output_reasoning_tokens)
  FROM metering.usage_event
 WHERE event_time >= $2::timestamptz AND event_time < $3::timestamptz
 GROUP BY 2, 3;
