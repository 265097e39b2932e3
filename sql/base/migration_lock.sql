-- Waits until no other process migrates this database.
SELECT pg_advisory_lock(hashtextextended('tollbook.migrate', 0));
