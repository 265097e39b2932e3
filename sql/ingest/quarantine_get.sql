-- One record in quarantine with everything about it but a message's headers; of no message: no cluster, topic and partition.
-- $1 bigint its number
SELECT q.quarantine_id, q.outcome, q.code, q.field, q.value, q.format, q.raw, q.raw_length, p.name, q.record,
       COALESCE(r.action, 'waiting'), r.reason, r.resolved_by, encode(q.message_key, 'hex'), place[1], place[2], place[3]
  FROM metering.quarantine q
  JOIN metering.ingest_batch b USING (batch_id)
  JOIN metering.source_position p USING (position_id)
  LEFT JOIN regexp_match(q.format, '^kafka(?: .*)? ([^ ]*)/([^/ ]+)/([0-9]+) [0-9a-f]+$') AS place ON true
  LEFT JOIN metering.quarantine_resolution r USING (quarantine_id)
 WHERE q.quarantine_id = $1::bigint;
