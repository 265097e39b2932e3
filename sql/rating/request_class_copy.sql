-- New request classes, as text.
COPY metering.request_class (class_id, input_from, uncached_from, output_from, part_from, engine, tags) FROM STDIN;
