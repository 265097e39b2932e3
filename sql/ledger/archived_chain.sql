-- Archived months that have the rows of an event, of those that correct it or that it corrects; with how many of these events.
-- $1 uuid event
WITH RECURSIVE chain (event_id) AS (
	SELECT $1::uuid
	UNION
	SELECT CASE WHEN u.event_id = c.event_id THEN u.original_event_id ELSE u.event_id END
	  FROM chain c JOIN metering.usage_correction u ON u.original_event_id = c.event_id OR u.event_id = c.event_id
), archived AS MATERIALIZED (
	SELECT k.event_id, k.batch_id, k.event_time, EXISTS (SELECT FROM metering.usage_correction u WHERE u.event_id = k.event_id) AS corrects
	  FROM metering.usage_keys(ARRAY(SELECT event_id FROM chain)) k
	 WHERE EXISTS (SELECT FROM metering.archived_batch b JOIN metering.archive_out o USING (archive_id) WHERE b.batch_id = k.batch_id)
), missing AS (
	SELECT * FROM archived a
	 WHERE a.event_id NOT IN (SELECT e.event_id FROM metering.booked_rows(ARRAY(SELECT event_id FROM archived)) e)
)
SELECT to_char(o.month, 'YYYY-MM'), count(DISTINCT m.event_id), string_agg(DISTINCT o.file, ', ' ORDER BY o.file)
  FROM missing m
  JOIN metering.archived_batch b ON b.batch_id = m.batch_id
  JOIN metering.archive_out o USING (archive_id)
 -- Usage is booked under its own time, a correction under that of what it corrects.
 WHERE m.corrects OR (m.event_time >= o.month::timestamp AT TIME ZONE 'UTC' AND m.event_time < (o.month + interval '1 month') AT TIME ZONE 'UTC')
 GROUP BY o.month
 ORDER BY o.month;
