-- Keeps rating, finalizing and everything else that changes money out until the transaction ends, and waits for postings that are under way.
SELECT pg_advisory_xact_lock(hashtextextended('tollbook.rate', 0)), pg_advisory_xact_lock(hashtextextended('tollbook.period_lock', 0));
