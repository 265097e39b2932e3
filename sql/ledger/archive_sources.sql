-- All producers, in the order of their numbers.
SELECT event_source_id, name FROM metering.event_source ORDER BY event_source_id;
