-- What is parked, and what became of it.
-- $1 text tenant, '' for all
-- $2 boolean also what was released
SELECT p.parked_id, p.tenant, p.period, p.reason, COALESCE(trim_scale(p.measured)::text, ''), p.currency,
       to_char(p.parked_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), p.parked_by,
       CASE WHEN r.parked_id IS NOT NULL THEN CASE WHEN r.by_itself THEN 'let go' ELSE 'released' END
            WHEN n.blocks THEN 'parked' ELSE 'tried again' END,
       COALESCE(to_char(r.released_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ''), COALESCE(r.released_by, ''), COALESCE(r.note, ''), COALESCE(r.ticket, ''),
       p.detail
  FROM finance.parked p
  LEFT JOIN finance.parked_release r USING (parked_id)
  LEFT JOIN finance.parked_now n USING (parked_id)
 WHERE ($1::text = '' OR p.tenant = $1::text) AND ($2::boolean OR r.parked_id IS NULL)
 ORDER BY p.parked_id;
