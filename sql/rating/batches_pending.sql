-- Batches that no run has summed into intervals yet, with how many ledger rows each has.
SELECT b.batch_id, b.ledger_rows
  FROM metering.ingest_batch b
 WHERE NOT EXISTS (SELECT FROM metering.summed_batch s WHERE s.batch_id = b.batch_id)
   AND b.ledger_rows > 0
 ORDER BY b.batch_id;
