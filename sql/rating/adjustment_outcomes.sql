-- What became of the differences of closed periods that a re-rate made, by currency; and what credits had paid of them and have back.
-- $1 bigint re-rate
SELECT a.currency, a.minor_units, x.became, count(*), sum(x.minor)::bigint
  FROM finance.adjustment a
  LEFT JOIN finance.credit_note_line l ON l.adjustment_id = a.adjustment_id
  LEFT JOIN finance.credit_note n ON n.credit_note_id = l.credit_note_id
 CROSS JOIN LATERAL (
	SELECT 1 AS place, CASE WHEN n.credit_note_id IS NOT NULL THEN 'credit note ' || n.number ELSE replace(a.outcome, '_', ' ') END AS became,
	       a.amount_minor AS minor
	UNION ALL
	SELECT 2, 'credits given back', l.credits_minor WHERE l.credits_minor > 0) x
 WHERE a.rerate_id = $1::bigint
 GROUP BY a.currency, a.minor_units, x.place, x.became ORDER BY a.currency, x.place, x.became;
