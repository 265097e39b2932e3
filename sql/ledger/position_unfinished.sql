-- A reading of a source that was begun at an instant and has not come to its end; no row where there is none.
-- $1 text kind
-- $2 text name
-- $3 timestamptz when it was begun
-- $4 text by whom
SELECT max(position_id) FROM metering.source_position
 WHERE kind = $1::text AND name = $2::text AND opened_at = $3::timestamptz AND opened_by = $4::text AND finished_at IS NULL
HAVING max(position_id) IS NOT NULL;
