-- Waits until nobody else publishes prices or applies contracts, and keeps others out until the transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('tollbook.terms', 0));
