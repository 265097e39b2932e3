-- The steps of a run in their order: with what they told, for machines and for people, and how long they took.
-- $1 bigint night run
SELECT step, findings, differences, result, told, round(extract(epoch FROM ended_at - started_at), 3)
  FROM finance.night_step WHERE night_run = $1::bigint ORDER BY place;
