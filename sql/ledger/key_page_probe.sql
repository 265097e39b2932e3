-- What runs of the register have of identities: place in the question, content and time (8 bytes) of each one found.  A row without a place: a
-- run is gone that was asked, since others merged it, and nothing of this answer counts.
-- $1 bigint[] the run to ask, for each identity
-- $2 uuid[] the identities
-- $3 bigint[] each of these runs once
-- $4 uuid[] their tokens
SELECT NULL::bigint, NULL::text, NULL::text
  FROM unnest($3::bigint[], $4::uuid[]) AS asked (run, token)
 WHERE NOT EXISTS (SELECT FROM metering.key_run r WHERE r.run = asked.run AND r.token = asked.token)
UNION ALL
SELECT q.place, encode(substr(p.keys, 16 * (p.n + m.at) + 1, 16), 'hex'), encode(substr(p.keys, 32 * p.n + 8 * m.at + 1, 8), 'hex')
  FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS q (run, id, place)
 CROSS JOIN LATERAL (
	SELECT k.keys, length(k.keys) / 44 AS n FROM metering.key_page k
	 WHERE k.run = q.run AND k.first_id <= q.id ORDER BY k.first_id DESC LIMIT 1) AS p
 CROSS JOIN LATERAL (SELECT position(uuid_send(q.id) IN substr(p.keys, 1, 16 * p.n)) - 1 AS found) AS f
 CROSS JOIN LATERAL (
	-- Bytes that are found across two identities may hide the place where they are one.
	SELECT CASE WHEN f.found < 0 THEN NULL WHEN f.found % 16 = 0 THEN f.found / 16
	            ELSE (SELECT i FROM generate_series(0, p.n - 1) AS i WHERE substr(p.keys, 16 * i + 1, 16) = uuid_send(q.id)) END AS at) AS m
 WHERE m.at IS NOT NULL;
