-- Lets one person at a time put usage right, until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('tollbook.support', 0));
