-- What was configured for a run: key, and value as JSON.
-- $1 bigint night run
SELECT s.key, s.value
  FROM finance.night_run r CROSS JOIN LATERAL json_each(r.settings::json) WITH ORDINALITY AS s (key, value, place)
 WHERE r.night_run = $1::bigint ORDER BY s.place;
