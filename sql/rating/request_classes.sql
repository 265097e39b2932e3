-- Every request class there is.
SELECT class_id, input_from, uncached_from, output_from, part_from, engine, tags FROM metering.request_class ORDER BY class_id;
