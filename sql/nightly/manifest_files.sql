-- Files that a run took, of units "SOURCE NAME" planned as "SIZE MTIME"; those of Kafka partitions say from where they were read.
-- $1 bigint night run
SELECT split_part(unit, ' ', 1), substr(unit, position(' ' IN unit) + 1), NULLIF(split_part(plan, ' ', 1), ''), encode(digest, 'hex'),
       CASE WHEN result = '' THEN '{}' ELSE result END
  FROM finance.night_unit
 WHERE night_run = $1::bigint AND step = 'ingest' AND position(' ' IN unit) > 0 AND is_done
   AND (result = '' OR result::json -> 'from' IS NULL)
 ORDER BY unit;
