-- Takes the lock that one nightly job can have, until the session ends; does not wait.
SELECT pg_try_advisory_lock(hashtextextended('tollbook.nightly', 0));
