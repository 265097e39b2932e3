-- the charges in force of an invoiced period = the exact amounts of its lines
SELECT v.tenant, v.period, v.number, h.amount AS charged, COALESCE(l.amount, 0) AS invoiced
  FROM finance.invoice v
  JOIN finance.rating_in_force f ON f.tenant = v.tenant AND f.period = v.period
  JOIN LATERAL (SELECT COALESCE(sum(amount), 0) AS amount FROM finance.charge WHERE rating_id = f.rating_id) h ON true
  LEFT JOIN LATERAL (SELECT sum(exact_amount) AS amount FROM finance.invoice_line WHERE invoice_id = v.invoice_id) l ON true
 WHERE v.status = 'final' AND h.amount <> COALESCE(l.amount, 0);
