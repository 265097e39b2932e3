-- Lets others publish to a topic; see spend_lock.sql.
-- $1 text topic
SELECT pg_advisory_unlock(hashtextextended('tollbook.spend.' || $1::text, 0));
