-- The periods that the documents of a night are about.
-- $1 bigint night run
SELECT DISTINCT result::jsonb ->> 'period' FROM finance.night_unit
 WHERE night_run = $1::bigint AND step = 'documents' AND is_done AND unit NOT LIKE 'workbooks/%'
 ORDER BY 1;
