-- Months in which something was used, invoiced or closed, with their states; the newest first.
SELECT m.period, COALESCE(s.state, 'open') || CASE l.state WHEN 'reopen_asked' THEN ', reopening asked for' ELSE '' END,
       (SELECT count(*) FROM finance.rating_in_force f WHERE f.period = m.period),
       (SELECT count(*) FROM finance.invoice v WHERE v.period = m.period AND v.status = 'draft'),
       (SELECT count(*) FROM finance.invoice v WHERE v.period = m.period AND v.status = 'final'),
       (SELECT count(*) FROM finance.adjustment_waiting a WHERE a.original_period = m.period),
       l.who, to_char(l.at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), l.accepted, l.note
  FROM (SELECT period FROM finance.rating_in_force UNION SELECT period FROM finance.invoice UNION SELECT period FROM finance.period_lock) m
  LEFT JOIN finance.period_state s USING (period)
  LEFT JOIN (SELECT DISTINCT ON (period) * FROM finance.period_lock ORDER BY period, lock_id DESC) l USING (period)
 ORDER BY m.period DESC;
