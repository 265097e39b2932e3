-- The flags that usage was booked with, of those of these events that are usage: neither corrections, which have a reversal beside
-- their row, nor voids, which have nothing else.  Usage is booked under the time that the register has.
-- $1 uuid[] identities
SELECT encode(uuid_send(e.event_id), 'hex'), max(e.flags)
  FROM metering.booked_rows($1::uuid[], true) e
 GROUP BY e.event_id
HAVING bool_and(e.kind = 1);
