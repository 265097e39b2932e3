-- Is nobody else writing, attaching or detaching an archive?  Held until the transaction ends.
SELECT pg_try_advisory_xact_lock(hashtextextended('tollbook.archive', 0));
