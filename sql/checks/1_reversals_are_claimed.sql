-- each reversal, in the ledger or archived, is the one correction or void that its original can have
SELECT COALESCE(e.batch_id, c.batch_id) AS batch, COALESCE(e.event_id, c.event_id) AS event,
       CASE WHEN c.event_id IS NULL THEN 'takes back what it has no claim on' ELSE 'claims what it does not take back' END AS difference
  FROM (SELECT batch_id, event_id FROM metering.usage_event
         -- The rows of other machines are not as of one moment: newer ones are no difference.
         WHERE kind = 2 AND ((SELECT NOT metering.ledger_is_distributed()) OR batch_id IN (SELECT batch_id FROM metering.ingest_batch))
        UNION ALL
        SELECT r.batch_id, r.event_id FROM metering.archived_reversal r JOIN metering.archive_out o USING (archive_id)) e
  FULL JOIN metering.usage_correction c USING (event_id)
 WHERE e.event_id IS NULL OR c.event_id IS NULL;
