-- the credits of each invoice = uses of its tenant's credits = the lines they paid for; those of each credit note = what was given back
SELECT v.number, v.credits_minor AS credits, COALESCE(u.used, 0) AS used, COALESCE(l.paid, 0) AS paid_of_lines
  FROM finance.invoice v
  LEFT JOIN (SELECT invoice_id, -sum(amount_minor) AS used FROM finance.credit_entry WHERE kind = 'use' GROUP BY invoice_id) u USING (invoice_id)
  LEFT JOIN (SELECT invoice_id, sum(amount_minor) AS paid FROM finance.credit_use_line GROUP BY invoice_id) l USING (invoice_id)
 WHERE v.credits_minor <> COALESCE(u.used, 0) OR v.credits_minor <> COALESCE(l.paid, 0)
UNION ALL
SELECT 'credit ' || e.grant_id || ' entry ' || e.place, v.credits_minor, -e.amount_minor, l.paid
  FROM finance.credit_entry e
  JOIN finance.credit_grant g USING (grant_id)
  JOIN finance.invoice v USING (invoice_id)
  LEFT JOIN (SELECT entry_id, sum(u.amount_minor) AS paid, bool_or(u.invoice_id <> e.invoice_id) AS strange
               FROM finance.credit_use_line u JOIN finance.credit_entry e USING (entry_id) GROUP BY entry_id) l USING (entry_id)
 WHERE -e.amount_minor <> COALESCE(l.paid, 0) OR l.strange OR (g.tenant, g.issuer, g.currency) IS DISTINCT FROM (v.tenant, v.issuer, v.currency)
UNION ALL
SELECT v.number || ' line ' || line, l.amount_minor, u.paid, u.paid
  FROM (SELECT invoice_id, line, sum(amount_minor) AS paid FROM finance.credit_use_line GROUP BY invoice_id, line) u
  JOIN finance.invoice_line l USING (invoice_id, line)
  JOIN finance.invoice v USING (invoice_id)
 WHERE u.paid > l.amount_minor
UNION ALL
SELECT n.number, n.credits_minor, COALESCE(r.restored, 0), NULL
  FROM finance.credit_note n
  LEFT JOIN (SELECT credit_note_id, sum(amount_minor) AS restored FROM finance.credit_entry WHERE kind = 'restore' GROUP BY credit_note_id) r
       USING (credit_note_id)
 WHERE n.credits_minor <> COALESCE(r.restored, 0)
UNION ALL
SELECT 'credit ' || grant_id || ' on ' || v.number, v.credits_minor, -sum(e.amount_minor) FILTER (WHERE e.kind = 'use'),
       sum(e.amount_minor) FILTER (WHERE e.kind = 'restore')
  FROM finance.credit_entry e
  LEFT JOIN finance.credit_note n USING (credit_note_id)
  JOIN finance.invoice v ON v.invoice_id = COALESCE(e.invoice_id, n.invoice_id)
 GROUP BY grant_id, v.invoice_id
HAVING sum(e.amount_minor) > 0;
