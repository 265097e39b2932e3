-- The same for the meters that have no column of their own; their sums may need more than 64 bits, and come as text.
COPY (
	SELECT i.series_id, i.interval_start, i.class_id, i.meter_id::integer, i.quantity::text
	  FROM unnest(string_to_array(current_setting('tollbook.series', true), ',')::integer[],
	              string_to_array(current_setting('tollbook.starts', true), ',')::timestamptz[],
	              string_to_array(current_setting('tollbook.ends', true), ',')::timestamptz[],
	              string_to_array(current_setting('tollbook.until', true), ',')::bigint[]) AS p (series_id, starts, ends, until)
	  JOIN metering.usage_interval_extra i ON i.series_id = p.series_id AND i.interval_start >= p.starts AND i.interval_start < p.ends
	   AND i.rating_run <= p.until
) TO STDOUT (FORMAT binary);
