-- A run by its number or its night: its number, night, instant, how it stands, and its manifest.
-- $1 text number, or date
SELECT r.night_run, r.night, to_char(r.at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), CASE WHEN r.caught_up THEN ', which was missed and caught up' ELSE '' END,
       s.state, r.attempts, r.manifest
  FROM finance.night_run r JOIN finance.night_standing s USING (night_run)
 WHERE $1::text IN (r.night_run::text, r.night::text);
