-- Records in quarantine.  The source of a message is its topic and partition, its number the offset.
-- $1 text reason code, '' for all
-- $2 boolean also those resolved
SELECT q.quarantine_id, q.outcome, q.code, COALESCE(place[1] || '[' || place[2] || ']', p.name), q.record, q.field, q.value,
       q.raw_length, COALESCE(r.action, 'waiting')
  FROM metering.quarantine q
  JOIN metering.ingest_batch b USING (batch_id)
  JOIN metering.source_position p USING (position_id)
  LEFT JOIN regexp_match(q.format, '^kafka(?: .*)?/([^/ ]+)/([0-9]+) [0-9a-f]+$') AS place ON true
  LEFT JOIN metering.quarantine_resolution r USING (quarantine_id)
 WHERE ($1::text = '' OR q.code = $1::text) AND ($2::boolean OR r.quarantine_id IS NULL)
 ORDER BY q.quarantine_id;
