-- The number of a producer, made if it is new; no row when another process is making it at this moment: ask again.
-- $1 text the event's source
WITH made AS (
	INSERT INTO metering.event_source (name) VALUES ($1::text)
	ON CONFLICT (name) DO NOTHING
	RETURNING event_source_id
)
SELECT event_source_id FROM metering.event_source WHERE name = $1::text
UNION ALL
SELECT event_source_id FROM made
LIMIT 1;
