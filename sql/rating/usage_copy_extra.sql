-- The meters without a column of their own in the ledger rows that usage_sum_copy.sql sums, in binary.
COPY (
	SELECT series_id, event_time, extra
	  FROM metering.usage_event
	 WHERE batch_id BETWEEN (SELECT current_setting('tollbook.first_batch')::bigint)
	                    AND (SELECT current_setting('tollbook.last_batch')::bigint)
	   AND extra IS NOT NULL
) TO STDOUT (FORMAT binary);
