-- Waits until no rating run and nobody else who changes what is owed is at work, and keeps them out until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('tollbook.rate', 0));
