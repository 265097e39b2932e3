-- What credit notes of an invoice gave back of credits, in their order.  Of a line: line, amount, is it of this note; which grants follows.  For
-- adjustments, which are no lines: entry, grant and its amount, for each line about the same thing as these (credit_note_left.sql), then for none.
-- $1 bigint invoice
-- $2 bigint credit note that is being issued, NULL for none
SELECT NULL::bigint AS entry, NULL::bigint, l.line, l.credits_minor, COALESCE(l.credit_note_id = $2::bigint, false), l.credit_note_id AS note, l.place
  FROM finance.credit_note_line l
 WHERE l.invoice_id = $1::bigint AND l.line IS NOT NULL AND l.credits_minor <> 0
UNION ALL
SELECT e.entry_id, e.grant_id, t.line, e.amount_minor, false, n.credit_note_id, t.line
  FROM finance.credit_note n
  JOIN finance.credit_entry e USING (credit_note_id)
 CROSS JOIN LATERAL (
	SELECT l.line
	  FROM finance.credit_note_line c
	  JOIN finance.adjustment a USING (adjustment_id)
	  LEFT JOIN metering.meter m USING (meter_id)
	  JOIN finance.invoice_line l ON l.invoice_id = n.invoice_id AND l.adjustment_id IS NULL AND l.kind = a.kind AND l.model = a.model
	   AND l.service_tier = a.service_tier AND l.meter = COALESCE(m.name, '')
	 WHERE c.credit_note_id = n.credit_note_id AND c.credits_minor > 0
	UNION ALL SELECT NULL) t
 WHERE n.invoice_id = $1::bigint AND n.scope = 'adjustments'
 ORDER BY note, entry NULLS FIRST, 7 NULLS LAST;
