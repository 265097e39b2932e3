-- credit notes = the sums of their lines, name their invoice, and come to no more than it, in all and line by line
SELECT n.number, n.invoice_number AS invoice, NULL::integer AS line,
       'says ' || n.net_minor || ' net, ' || n.credits_minor || ' by credits; its lines ' || COALESCE(l.net, 0) || ' and ' || COALESCE(l.credits, 0) AS difference
  FROM finance.credit_note n
  LEFT JOIN (SELECT credit_note_id, sum(amount_minor) AS net, sum(credits_minor) AS credits FROM finance.credit_note_line GROUP BY credit_note_id) l
       USING (credit_note_id)
 WHERE (n.net_minor, n.credits_minor) IS DISTINCT FROM (COALESCE(l.net, 0), COALESCE(l.credits, 0))
UNION ALL
SELECT n.number, n.invoice_number, NULL, 'is not of the invoice it names'
  FROM finance.credit_note n
  JOIN finance.invoice v USING (invoice_id)
 WHERE (n.invoice_number COLLATE "C", n.invoice_date, n.tenant, n.issuer, n.currency, n.minor_units)
       IS DISTINCT FROM (v.number, v.issued_on, v.tenant, v.issuer, v.currency, v.minor_units) OR n.issued_on < v.issued_on
UNION ALL
SELECT string_agg(n.number, ', '), v.number, NULL,
       'come to ' || sum(n.total_minor) || ' of ' || v.total_minor || ', with ' || sum(n.net_minor) || ' of ' || v.net_minor || ' net, ' || sum(n.credits_minor) || ' of ' || v.credits_minor || ' by credits'
  FROM finance.credit_note n
  JOIN finance.invoice v USING (invoice_id)
 GROUP BY v.invoice_id
HAVING sum(n.total_minor) > v.total_minor OR sum(n.net_minor) > v.net_minor OR sum(n.credits_minor) > v.credits_minor
    OR (bool_or(n.scope = 'full') AND sum(n.total_minor) <> v.total_minor)
UNION ALL
SELECT '', v.number, l.line, 'is credited ' || n.amount || ' of ' || l.amount_minor || ', and ' || n.credits || ' of the ' || COALESCE(u.amount, 0) ||
       ' that credits paid'
  FROM (SELECT invoice_id, line, sum(amount_minor) AS amount, sum(credits_minor) AS credits,
               bool_or(credits_minor < 0) AS strange
          FROM finance.credit_note_line WHERE line IS NOT NULL GROUP BY invoice_id, line) n
  JOIN finance.invoice_line l USING (invoice_id, line)
  JOIN finance.invoice v USING (invoice_id)
  LEFT JOIN (SELECT invoice_id, line, sum(amount_minor) AS amount FROM finance.credit_use_line GROUP BY invoice_id, line) u USING (invoice_id, line)
 WHERE n.amount NOT BETWEEN least(l.amount_minor, 0) AND greatest(l.amount_minor, 0) OR n.credits NOT BETWEEN 0 AND COALESCE(u.amount, 0) OR n.strange
UNION ALL
SELECT n.number, n.invoice_number, l.line, 'is a line of another invoice'
  FROM finance.credit_note_line l
  JOIN finance.credit_note n USING (credit_note_id)
 WHERE l.invoice_id <> n.invoice_id
UNION ALL
SELECT n.number, n.invoice_number, NULL, 'has ' || l.credits_minor || ' by credits of adjustment ' || l.adjustment_id || ', which comes to ' || l.amount_minor
  FROM finance.credit_note_line l
  JOIN finance.credit_note n USING (credit_note_id)
 WHERE l.line IS NULL AND l.credits_minor NOT BETWEEN 0 AND greatest(l.amount_minor, 0);
