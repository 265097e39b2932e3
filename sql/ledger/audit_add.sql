-- Audit rows, in the order of the list.
-- $1 timestamptz when
-- $2 text who
-- $3 text[] actions
-- $4 text[] subjects
-- $5 text[] reasons
-- $6 text[] tickets
-- $7 text[] the states they found
-- $8 text[] the states they left
INSERT INTO finance.audit_log (at, who, action, subject, reason, ticket, before, after)
SELECT $1::timestamptz, $2::text, a.action, a.subject, a.reason, a.ticket, a.before, a.after
  FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       WITH ORDINALITY AS a (action, subject, reason, ticket, before, after, place)
 ORDER BY a.place;
