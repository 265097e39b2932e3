-- Waits until no rating run and no other finalizing is at work, and keeps both out until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('tollbook.rate', 0));
