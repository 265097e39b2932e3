-- Lets the next one migrate.
SELECT pg_advisory_unlock(hashtextextended('tollbook.migrate', 0));
