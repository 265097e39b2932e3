-- Batches that no run has summed into intervals yet, with how many ledger rows each has.  Those whose rows are not all to be seen, where the
-- ledger is on several machines, are left for a later run.
WITH pending AS MATERIALIZED (
	SELECT b.batch_id, b.ledger_rows
	  FROM metering.ingest_batch b
	 WHERE NOT EXISTS (SELECT FROM metering.summed_batch s WHERE s.batch_id = b.batch_id)
	   AND b.ledger_rows > 0
)
SELECT p.batch_id, p.ledger_rows
  FROM pending p
 WHERE p.batch_id NOT IN (SELECT h.batch_id FROM metering.half_done(ARRAY(SELECT batch_id FROM pending)) h)
 ORDER BY p.batch_id;
