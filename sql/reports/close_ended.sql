-- Has a month not ended everywhere, with its grace?
-- $1 timestamptz now
-- $2 timestamptz the end with grace
SELECT 'it ends everywhere, with its grace, at ' || to_char($2::timestamptz, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), NULL::numeric, NULL::text
 WHERE $1::timestamptz < $2::timestamptz;
