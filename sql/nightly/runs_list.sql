-- Nights, the newest first.
SELECT r.night_run, r.night, to_char(r.at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), CASE WHEN r.caught_up THEN 'yes' ELSE 'no' END, s.state,
       CASE r.outcome WHEN 'done' THEN 0 WHEN 'findings' THEN 7 WHEN 'differences' THEN 4 END, r.attempts,
       to_char(r.read_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(r.ended_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       (SELECT round(extract(epoch FROM sum(t.ended_at - t.started_at)), 3) FROM finance.night_step t WHERE t.night_run = r.night_run)
  FROM finance.night_run r JOIN finance.night_standing s USING (night_run)
 ORDER BY r.night DESC;
