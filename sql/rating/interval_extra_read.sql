-- The same for the meters that have no column of their own; their sums may need more than 64 bits, and come as text.
COPY (
	SELECT i.series_id, i.interval_start, i.class_id, i.meter_id::integer, i.quantity::text
	  FROM unnest(current_setting('tollbook.series')::integer[], current_setting('tollbook.starts')::timestamptz[],
	              current_setting('tollbook.ends')::timestamptz[], current_setting('tollbook.until')::bigint[])
	       AS p (series_id, starts, ends, until)
	  JOIN metering.usage_interval_extra i ON i.series_id = p.series_id AND i.interval_start >= p.starts AND i.interval_start < p.ends
	   AND i.rating_run <= p.until
) TO STDOUT (FORMAT binary);
