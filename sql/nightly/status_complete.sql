-- Up to when usage is in, for each source that is configured, each other topic that is followed, and all of them.  A partition that was seen
-- to its end is complete as of that look, any other up to its last event; files are, up to the newest night that read them.  NULL: not known.
-- $1 text[] names of the sources that are configured
-- $2 text[] their kinds: kafka or files
-- $3 text[] their topics, '' for files
WITH configured AS (
	SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS c (source, kind, topic)
), partition AS (
	SELECT topic, CASE WHEN clear_offset >= end_offset THEN seen_at ELSE last_event_time END AS through
	  FROM metering.kafka_partition WHERE closed_at IS NULL
), topic AS (
	SELECT topic, CASE WHEN bool_or(through IS NULL) THEN NULL ELSE min(through) END AS through FROM partition GROUP BY topic
), source AS (
	SELECT c.source, CASE c.kind WHEN 'kafka' THEN t.through
	       ELSE (SELECT max(r.at) FROM finance.night_run r JOIN finance.night_step s USING (night_run) WHERE s.step = 'ingest' AND s.ended_at IS NOT NULL) END AS through
	  FROM configured c LEFT JOIN topic t ON t.topic = c.topic AND c.kind = 'kafka'
	UNION ALL
	SELECT t.topic, t.through FROM topic t WHERE NOT EXISTS (SELECT FROM configured c WHERE c.kind = 'kafka' AND c.topic = t.topic)
)
SELECT 'complete', fact, label, (extract(epoch FROM through) * 1000000)::bigint
  FROM (SELECT 1 AS place, 'through' AS fact, '' AS label, CASE WHEN bool_or(through IS NULL) THEN NULL ELSE min(through) END AS through FROM source
        UNION ALL SELECT 2, 'source_through', source, through FROM source) x
 ORDER BY place, label COLLATE "C";
