-- What a night wrote, in all of its attempts: invoices, credit notes, workbooks, files, bytes, lines of workbooks that do not agree.
-- $1 bigint night run
SELECT count(*) FILTER (WHERE unit LIKE 'invoices/%.json'), count(*) FILTER (WHERE unit LIKE 'credit-notes/%.json'),
       count(*) FILTER (WHERE unit LIKE 'workbooks/%'), count(*), COALESCE(sum((result::jsonb ->> 'bytes')::bigint), 0)::bigint,
       COALESCE(sum((result::jsonb ->> 'differences')::bigint), 0)::bigint
  FROM finance.night_unit WHERE night_run = $1::bigint AND step = 'documents' AND is_done;
