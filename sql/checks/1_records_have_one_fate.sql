-- records consumed = accepted + duplicates + ignored + quarantined + rejected, and each kept where its fate says
SELECT batch_id AS batch, b.accepted, COALESCE(k.keys, 0) AS keys_in_register, b.ledger_rows, COALESCE(e.rows, 0) AS rows_in_ledger_and_archives,
       b.quarantined + b.rejected - b.set_aside_before AS set_aside, COALESCE(q.rows, 0) AS rows_in_quarantine
  FROM metering.ingest_batch b
  FULL JOIN metering.register_entry k USING (batch_id)
  FULL JOIN (SELECT batch_id, sum(rows) AS rows
               FROM (SELECT batch_id, count(*) AS rows FROM metering.usage_event
                      -- The rows of other machines are not as of one moment: newer ones are no difference.
                      WHERE (SELECT NOT metering.ledger_is_distributed()) OR batch_id IN (SELECT batch_id FROM metering.ingest_batch)
                      GROUP BY batch_id
                     UNION ALL
                     SELECT batch_id, a.rows FROM metering.archived_batch a JOIN metering.archive_out o USING (archive_id)) r
              GROUP BY batch_id) e USING (batch_id)
  FULL JOIN (SELECT batch_id, count(*) AS rows FROM metering.quarantine GROUP BY batch_id) q USING (batch_id)
 WHERE b.position_id IS NULL OR b.records <> b.accepted + b.duplicates + b.ignored + b.quarantined + b.rejected
    OR b.accepted <> COALESCE(k.keys, 0) OR b.ledger_rows <> COALESCE(e.rows, 0)
    OR b.quarantined + b.rejected - b.set_aside_before <> COALESCE(q.rows, 0);
