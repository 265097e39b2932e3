-- Plans files to be read, but for those that a night has read to their end as they are; how many it planned.
-- $1 bigint night run
-- $2 text[] units
-- $3 text[] their plans: size and time of last change
WITH planned AS (
	INSERT INTO finance.night_unit (night_run, step, unit, plan, is_done)
	SELECT $1::bigint, 'ingest', f.unit, f.plan, false
	  FROM unnest($2::text[], $3::text[]) AS f (unit, plan)
	 WHERE NOT EXISTS (SELECT FROM finance.night_unit u
	                    WHERE u.step = 'ingest' AND u.unit = f.unit AND u.plan = f.plan AND u.is_done AND u.result NOT LIKE '{"error":%')
	ON CONFLICT (night_run, step, unit) DO NOTHING
	RETURNING true
)
SELECT count(*) FROM planned;
