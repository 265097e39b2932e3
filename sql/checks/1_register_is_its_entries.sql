-- entries of the register are numbered without a gap, its runs have each of them once, and nothing else is stored of it
WITH RECURSIVE stored AS (  -- the runs that there are pages of, each found behind the one before
	SELECT min(run) AS run FROM metering.key_page
	UNION ALL
	SELECT (SELECT min(p.run) FROM metering.key_page p WHERE p.run > s.run) FROM stored s WHERE s.run IS NOT NULL
), entry AS (
	SELECT entry, lag(entry, 1, 0::bigint) OVER (ORDER BY entry) AS before FROM metering.register_entry
), run AS (
	SELECT run, first_entry, last_entry, keys, first_batch, hash_sum, lag(last_entry, 1, 0::bigint) OVER (ORDER BY first_entry, run) AS before FROM metering.key_run
)
SELECT 'an entry is missing before this one' AS difference, entry AS place FROM entry WHERE entry <> before + 1
UNION ALL
SELECT 'this run does not begin behind the one before it', run FROM run WHERE first_entry <> before + 1
UNION ALL
SELECT 'no run has the entries from this one on', max(last) + 1
  FROM (SELECT COALESCE(max(entry), 0) AS wanted FROM metering.register_entry) e, (SELECT COALESCE(max(last_entry), 0) AS last FROM metering.key_run) r
 WHERE last <> wanted GROUP BY wanted
UNION ALL
SELECT 'this run is not the sum of its entries', r.run
  FROM run r
 CROSS JOIN LATERAL (SELECT sum(e.keys) AS keys, sum(e.hash_sum) AS hash_sum, min(e.batch_id) AS first_batch
                       FROM metering.register_entry e WHERE e.entry BETWEEN r.first_entry AND r.last_entry) s
 WHERE (r.keys, r.hash_sum, r.first_batch) IS DISTINCT FROM (s.keys, s.hash_sum, s.first_batch)
UNION ALL
SELECT 'there are pages of a run that is none', s.run FROM stored s WHERE s.run IS NOT NULL AND NOT EXISTS (SELECT FROM metering.key_run r WHERE r.run = s.run)
UNION ALL
SELECT DISTINCT 'there is a filter of a run that is none', f.run FROM metering.key_filter f WHERE NOT EXISTS (SELECT FROM metering.key_run r WHERE r.run = f.run)
 ORDER BY 1, 2;
