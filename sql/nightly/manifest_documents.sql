-- Files that a run wrote.
-- $1 bigint night run
SELECT unit, (NULLIF(result, '')::json) ->> 'bytes', encode(digest, 'hex')
  FROM finance.night_unit WHERE night_run = $1::bigint AND step = 'documents' AND is_done AND digest IS NOT NULL ORDER BY unit COLLATE "C";
