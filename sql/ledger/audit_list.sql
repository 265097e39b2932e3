-- The audit log, the newest first.
-- $1 text only of this subject; '' for all
-- $2 text only by this person; '' for all
-- $3 text only this action, or those of this first word; '' for all
-- $4 timestamptz only from then on; NULL for all
-- $5 bigint at most that many rows
SELECT audit_id, to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), who, action, subject, reason, ticket, before, after
  FROM finance.audit_log
 WHERE ($1::text = '' OR subject = $1::text)
   AND ($2::text = '' OR who = $2::text)
   AND ($3::text = '' OR action = $3::text OR starts_with(action, $3::text || ' '))
   AND ($4::timestamptz IS NULL OR at >= $4::timestamptz)
 ORDER BY audit_id DESC
 LIMIT $5::bigint;
