-- Is this the only publishing to a topic?  Taken before the snapshot and held by the session until everything is sent, so that an
-- older figure is never sent after a newer one.
-- $1 text topic
SELECT pg_try_advisory_lock(hashtextextended('tollbook.spend.' || $1::text, 0));
