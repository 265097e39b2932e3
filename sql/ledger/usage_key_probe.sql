-- Which of these identities the register knows, with what they were booked with.
-- $1 uuid[] identities
SELECT event_id, content, (extract(epoch FROM event_time) * 1000000)::bigint
  FROM metering.usage_key
 WHERE event_id = ANY ($1::uuid[]);
