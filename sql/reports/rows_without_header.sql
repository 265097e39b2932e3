-- Batches that a distributed ledger has rows of and no header, and how many; in a transaction of its own.
SELECT r.batch_id FROM metering.rows_without_header() r ORDER BY r.batch_id;
