-- The flags that usage was booked with, of those of these events that are usage: neither corrections, which have a reversal beside
-- their row, nor voids, which have none.  Usage is booked under the time that the register has.
-- $1 uuid[] identities
SELECT encode(uuid_send(k.event_id), 'hex'), e.flags
  FROM metering.usage_key k
  JOIN metering.usage_event e ON e.batch_id = k.batch_id AND e.event_id = k.event_id AND e.event_time = k.event_time AND e.kind = 1
 WHERE k.event_id = ANY ($1::uuid[])
   AND NOT EXISTS (
	SELECT FROM metering.usage_event r
	 WHERE r.batch_id = k.batch_id AND r.event_id = k.event_id AND r.event_time = k.event_time AND r.kind = 2);
