-- A re-rate and how it stands: planned, approved, rejected or applied.
-- $1 bigint re-rate
SELECT r.period, r.tenant, r.model, COALESCE(b.book || '@' || b.version, ''), r.reason, r.ticket, r.note, r.second_person,
       to_char(r.planned_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), r.planned_by,
       CASE WHEN d.applied IS NOT NULL THEN 'applied' WHEN d.rejected IS NOT NULL THEN 'rejected'
            WHEN d.approved IS NOT NULL THEN 'approved' ELSE 'planned' END,
       COALESCE(d.approved, ''), COALESCE(d.rejected, ''), COALESCE(d.applied, ''), COALESCE(d.rating_run, 0)
  FROM finance.rerate r
  LEFT JOIN finance.price_book_version b USING (price_book_version_id)
  LEFT JOIN (SELECT rerate_id, max(who) FILTER (WHERE decision = 'approved') AS approved, max(who) FILTER (WHERE decision = 'rejected') AS rejected,
                    max(who) FILTER (WHERE decision = 'applied') AS applied, max(rating_run) AS rating_run
               FROM finance.rerate_decision GROUP BY rerate_id) d USING (rerate_id)
 WHERE r.rerate_id = $1::bigint;
