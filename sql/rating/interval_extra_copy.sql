-- Interval increments of the other meters, as text.
COPY metering.usage_interval_extra (rating_run, series_id, interval_start, meter_id, quantity, class_id) FROM STDIN;
