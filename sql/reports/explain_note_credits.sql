-- The credits that a credit note gave back.
-- $1 bigint credit note
SELECT 'credit:' || e.grant_id || '/' || e.place, g.kind, round(e.amount_minor * 10::numeric ^ -g.minor_units, g.minor_units),
       round(e.balance_before * 10::numeric ^ -g.minor_units, g.minor_units), round(e.balance_after * 10::numeric ^ -g.minor_units, g.minor_units)
  FROM finance.credit_entry e
  JOIN finance.credit_grant g USING (grant_id)
 WHERE e.credit_note_id = $1::bigint
 ORDER BY e.entry_id;
