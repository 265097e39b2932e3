-- each adjustment waits, is on one final invoice that is not credited in full, is on a credit note, is waived or was dropped; once
SELECT a.adjustment_id AS adjustment, a.tenant, a.original_period AS period, a.amount_minor AS amount, a.outcome, l.lines, l.drafts,
       n.adjustment_id IS NOT NULL AS on_a_credit_note, d.adjustment_id IS NOT NULL AS dropped
  FROM finance.adjustment a
 CROSS JOIN LATERAL (
	SELECT count(*) FILTER (WHERE v.status = 'final' AND NOT EXISTS (
	               SELECT FROM finance.credit_note n WHERE n.invoice_id = v.invoice_id AND n.scope = 'full')) AS lines,
	       count(*) FILTER (WHERE v.status = 'draft') AS drafts,
	       count(*) FILTER (WHERE (v.tenant, v.currency) IS DISTINCT FROM (a.tenant, a.currency COLLATE "C")) AS strange
	  FROM finance.invoice_line l JOIN finance.invoice v USING (invoice_id) WHERE l.adjustment_id = a.adjustment_id) l
  LEFT JOIN finance.credit_note_line n ON n.adjustment_id = a.adjustment_id
  LEFT JOIN finance.adjustment_dropped d ON d.adjustment_id = a.adjustment_id
 WHERE l.strange > 0 OR l.lines + l.drafts > 1
    OR (l.lines + l.drafts > 0 AND (n.adjustment_id IS NOT NULL OR d.adjustment_id IS NOT NULL OR a.outcome <> 'next_invoice'))
    OR (a.outcome = 'waived' AND n.adjustment_id IS NOT NULL);
