-- One record in quarantine with everything about it.
-- $1 bigint its number
SELECT q.quarantine_id, q.outcome, q.code, q.field, q.value, q.format, q.raw, q.raw_length, p.name, q.record,
       COALESCE(r.action, 'waiting'), r.reason, r.resolved_by
  FROM metering.quarantine q
  JOIN metering.ingest_batch b USING (batch_id)
  JOIN metering.source_position p USING (position_id)
  LEFT JOIN metering.quarantine_resolution r USING (quarantine_id)
 WHERE q.quarantine_id = $1::bigint;
