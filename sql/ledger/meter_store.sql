-- Copies one meter of the registry; a meter's name, side and decimals never change under its id.
-- $1 smallint id
-- $2 text name
-- $3 text side
-- $4 smallint decimals
INSERT INTO metering.meter (meter_id, name, side, decimals)
VALUES ($1::smallint, $2::text, $3::text, $4::smallint)
ON CONFLICT (meter_id) DO UPDATE SET meter_id = excluded.meter_id
 WHERE meter.name = excluded.name AND meter.side = excluded.side AND meter.decimals = excluded.decimals;
