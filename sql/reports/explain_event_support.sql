-- Those of the events that a person made, and why.
-- $1 uuid[] the events
-- $2 text tenant
SELECT h.action, h.request_id, h.source, h.id, h.reason, r.meaning, h.ticket, h.before, to_char(h.asked_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), h.asked_by
  FROM finance.support_event h
  JOIN finance.reason r USING (reason)
 WHERE h.tenant = $2::text
   AND EXISTS (SELECT FROM metering.booked_rows($1::uuid[]) e
                 JOIN metering.event_source o USING (event_source_id)
                WHERE o.name = '/support' AND e.id = h.request_id)
 ORDER BY h.asked_at, h.request_id;
