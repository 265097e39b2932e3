-- Grants that paid an invoice, like credit_draw_grants.sql, as the only one of a list; for a balance, what each paid of it and has not back.
-- $1 bigint invoice
SELECT 1, g.grant_id, g.kind = 'prepaid', g.priority, (extract(epoch FROM g.starts) * 1000000)::bigint, (extract(epoch FROM g.expires) * 1000000)::bigint,
       u.minor, g.model_pattern, array_to_string(g.meters, ' ')
  FROM (SELECT e.grant_id, -sum(e.amount_minor)::bigint AS minor
          FROM finance.credit_entry e
          LEFT JOIN finance.credit_note n USING (credit_note_id)
         WHERE e.invoice_id = $1::bigint OR n.invoice_id = $1::bigint
         GROUP BY e.grant_id HAVING sum(e.amount_minor) < 0) u
  JOIN finance.credit_grant g USING (grant_id)
 ORDER BY g.grant_id;
