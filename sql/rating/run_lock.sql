-- Is this the only rating run?  Held until the transaction ends.
SELECT pg_try_advisory_xact_lock(hashtextextended('tollbook.rate', 0));
