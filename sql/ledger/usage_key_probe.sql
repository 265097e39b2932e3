-- Which of these identities the register knows, with what they were booked with.
-- $1 uuid[] identities
SELECT encode(uuid_send(event_id), 'hex'), encode(uuid_send(content), 'hex'), (extract(epoch FROM event_time) * 1000000)::bigint
  FROM metering.usage_key
 WHERE event_id = ANY ($1::uuid[]);
