-- Does nobody else rate this share?  Held until the transaction ends.
-- $1 bigint share, from 1
-- $2 bigint of how many
SELECT pg_try_advisory_xact_lock(hashtextextended('tollbook.rate ' || $1::bigint || '/' || $2::bigint, 0));
