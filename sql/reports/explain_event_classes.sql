-- The classes of requests that the events' quarter of an hour is summed in: of the runs that summed them, or moved to by later ones.
-- $1 uuid[] the events
SELECT s.model, s.service_tier, c.class_id, NULLIF(c.input_from, -1), NULLIF(c.uncached_from, -1), NULLIF(c.output_from, -1),
       NULLIF(c.part_from, -1), c.engine, c.tags
  FROM (SELECT DISTINCT e.series_id, date_bin('15 minutes', e.event_time, '2000-01-01 00:00:00+00') AS starts
          FROM metering.booked_rows($1::uuid[]) e) q
  JOIN metering.usage_series s USING (series_id)
  JOIN (SELECT series_id, interval_start, class_id FROM metering.usage_interval
        UNION SELECT series_id, interval_start, class_id FROM metering.usage_interval_extra) i ON i.series_id = q.series_id AND i.interval_start = q.starts
  JOIN metering.request_class c USING (class_id)
 ORDER BY s.model, s.service_tier, c.class_id;
