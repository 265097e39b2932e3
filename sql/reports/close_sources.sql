-- Sources that may still bring usage of a month: files not read to their end (nor again since), partitions not read past the end.
-- $1 timestamptz the end with grace
SELECT 'file ' || p.name || ' was not read to its end', NULL::numeric, NULL::text
  FROM metering.source_position p
 WHERE p.kind = 'file' AND p.finished_at IS NULL
   AND NOT EXISTS (SELECT FROM metering.source_position q
                    WHERE q.kind = 'file' AND q.name = p.name AND q.position_id > p.position_id AND q.finished_at IS NOT NULL)
UNION ALL
SELECT 'partition ' || p.topic || '[' || p.partition || '] is read until ' ||
       COALESCE(to_char(p.last_event_time, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'nothing') ||
       CASE WHEN p.seen_at IS NULL THEN '; nobody saw its end'
            ELSE ', ' || greatest(p.end_offset - p.clear_offset, 0) || ' offsets before its end as seen at ' ||
                 to_char(p.seen_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END,
       NULL, NULL
  FROM metering.kafka_partition p
 WHERE p.closed_at IS NULL
   AND NOT COALESCE(p.last_event_time >= $1::timestamptz, false)
   AND NOT COALESCE(p.clear_offset >= p.end_offset AND p.seen_at >= $1::timestamptz, false)
UNION ALL
SELECT 'partition ' || p.topic || '[' || p.partition || ']: ' || replace(i.kind, '_', ' ') || ', offset ' || i.expected ||
       ' was expected, ' || i.found || ' found', NULL, NULL
  FROM metering.kafka_incident i
  JOIN metering.kafka_partition p USING (partition_id)
 WHERE p.closed_at IS NULL
 ORDER BY 1;
