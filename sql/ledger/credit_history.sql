-- What became of grants, step by step.
-- $1 text tenant, '' for all
-- $2 text grant, '' for all
-- $3 text entry, '' for all
SELECT e.grant_id, e.place, (extract(epoch FROM e.booked_at) * 1000000)::bigint, e.kind, e.amount_minor, e.balance_before, e.balance_after,
       g.minor_units, g.currency, COALESCE(v.number, n.number, ''),
       COALESCE((SELECT string_agg(u.line::text, ' ' ORDER BY u.line) FROM finance.credit_use_line u WHERE u.entry_id = e.entry_id), ''),
       COALESCE(e.reason, ''), e.ticket, e.booked_by, COALESCE(e.request_id, ''), g.tenant
  FROM finance.credit_entry e
  JOIN finance.credit_grant g USING (grant_id)
  LEFT JOIN finance.invoice v ON v.invoice_id = e.invoice_id
  LEFT JOIN finance.credit_note n ON n.credit_note_id = e.credit_note_id
 WHERE ($1::text = '' OR g.tenant = $1::text) AND ($2::text = '' OR g.grant_id::text = $2::text)
   AND ($3::text = '' OR e.entry_id::text = $3::text)
 ORDER BY g.tenant, e.entry_id;
