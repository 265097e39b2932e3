-- What became of a grant, entry by entry.
-- $1 bigint grant
-- $2 integer place, NULL for all
SELECT e.place, e.kind, round(e.amount_minor * 10::numeric ^ -g.minor_units, g.minor_units),
       round(e.balance_before * 10::numeric ^ -g.minor_units, g.minor_units), round(e.balance_after * 10::numeric ^ -g.minor_units, g.minor_units),
       COALESCE(v.number, v.tenant || ':' || v.period, n.number), to_char(e.booked_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), e.booked_by, e.reason, e.ticket
  FROM finance.credit_entry e
  JOIN finance.credit_grant g USING (grant_id)
  LEFT JOIN finance.invoice v USING (invoice_id)
  LEFT JOIN finance.credit_note n ON n.credit_note_id = e.credit_note_id
 WHERE e.grant_id = $1::bigint AND ($2::integer IS NULL OR e.place = $2::integer)
 ORDER BY e.place;
