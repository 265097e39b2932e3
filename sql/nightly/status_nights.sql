-- How the newest night went, and how many were missed since: nights whose instant has passed without a run.
-- $1 timestamptz now
-- $2 time of a night
-- $3 text zone of that time
WITH last AS (
	SELECT * FROM finance.night_run ORDER BY night DESC LIMIT 1
), standing AS (
	SELECT r.*, (SELECT sum(s.ended_at - s.started_at) FROM finance.night_step s WHERE s.night_run = r.night_run) AS lasted, p.state
	  FROM last r JOIN finance.night_standing p USING (night_run)
), missed AS (
	SELECT count(*) AS nights
	  FROM last l
	 CROSS JOIN LATERAL generate_series(l.night + 1, ($1::timestamptz AT TIME ZONE $3::text)::date, interval '1 day') AS n (night)
	 WHERE (n.night::date + $2::time) AT TIME ZONE $3::text <= $1::timestamptz
)
SELECT 'nights', x.fact, '', x.value
  FROM (SELECT) one
  LEFT JOIN standing r ON true
 CROSS JOIN missed m
 CROSS JOIN LATERAL (VALUES
	(1, 'last', r.night::text),
	(2, 'outcome', COALESCE(r.state, 'never')),
	(3, 'exit_code', CASE r.outcome WHEN 'done' THEN '0' WHEN 'findings' THEN '7' WHEN 'differences' THEN '4' END),
	(4, 'instant', (extract(epoch FROM r.at) * 1000000)::bigint::text),
	(5, 'ended', (extract(epoch FROM r.ended_at) * 1000000)::bigint::text),
	(6, 'seconds', round(extract(epoch FROM r.lasted), 3)::text),
	(7, 'attempts', r.attempts::text),
	(8, 'missed', m.nights::text)) AS x (place, fact, value)
 ORDER BY x.place;
