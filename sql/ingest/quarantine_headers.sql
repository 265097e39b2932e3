-- The headers of a quarantined message in their order, each as two rows: name, value.  A null value is null.
-- $1 bigint the record's number
SELECT encode(part, 'hex')
  FROM metering.quarantine q, unnest(q.message_headers) WITH ORDINALITY AS header (part, place)
 WHERE q.quarantine_id = $1::bigint
 ORDER BY place;
