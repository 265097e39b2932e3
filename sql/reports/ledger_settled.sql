-- Waits, where the ledger is on several machines, until the batches that this transaction sees are committed on all of them: whoever commits one
-- holds the register's lock until then.
SELECT pg_advisory_lock_shared(l.lock), pg_advisory_unlock_shared(l.lock)
  FROM (SELECT hashtextextended('tollbook.register', 0) AS lock) l
 WHERE metering.ledger_is_distributed();
