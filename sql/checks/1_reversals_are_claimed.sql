-- each reversal in the ledger is the one correction or void that its original can have
SELECT COALESCE(e.batch_id, c.batch_id) AS batch, COALESCE(e.event_id, c.event_id) AS event,
       CASE WHEN c.event_id IS NULL THEN 'takes back what it has no claim on' ELSE 'claims what it does not take back' END AS difference
  FROM (SELECT batch_id, event_id FROM metering.usage_event WHERE kind = 2) e
  FULL JOIN metering.usage_correction c USING (event_id)
 WHERE e.event_id IS NULL OR c.event_id IS NULL;
