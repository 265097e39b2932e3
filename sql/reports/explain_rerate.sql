-- A re-rate.
-- $1 bigint re-rate
SELECT r.rerate_id, r.period, r.tenant, r.model, b.book || ' v' || b.version, r.reason, s.meaning, r.ticket, r.note, r.second_person,
       COALESCE((SELECT decision FROM finance.rerate_decision d WHERE d.rerate_id = r.rerate_id ORDER BY at DESC, decision = 'approved' LIMIT 1), 'planned'),
       to_char(r.planned_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), r.planned_by,
       (SELECT rating_run FROM finance.rerate_decision d WHERE d.rerate_id = r.rerate_id AND d.decision = 'applied')
  FROM finance.rerate r
  JOIN finance.reason s USING (reason)
  LEFT JOIN finance.price_book_version b USING (price_book_version_id)
 WHERE r.rerate_id = $1::bigint;
