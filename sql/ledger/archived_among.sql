-- Those of these events that were booked and whose rows are archived.
-- $1 uuid[] identities
WITH archived AS MATERIALIZED (
	SELECT k.event_id
	  FROM metering.usage_keys($1::uuid[]) k
	 -- Where nothing is archived, nothing is looked up.
	 WHERE EXISTS (SELECT FROM metering.archive_out)
	   AND EXISTS (SELECT FROM metering.archived_batch b JOIN metering.archive_out o USING (archive_id) WHERE b.batch_id = k.batch_id)
)
SELECT encode(uuid_send(a.event_id), 'hex')
  FROM archived a
 WHERE a.event_id NOT IN (SELECT e.event_id FROM metering.booked_rows(ARRAY(SELECT event_id FROM archived)) e);
