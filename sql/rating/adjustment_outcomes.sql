-- What became of the differences of closed periods that a re-rate made, by currency.
-- $1 bigint re-rate
SELECT a.currency, a.minor_units,
       CASE WHEN n.credit_note_id IS NOT NULL THEN 'credit note ' || n.number ELSE replace(a.outcome, '_', ' ') END,
       count(*), sum(a.amount_minor)::bigint
  FROM finance.adjustment a
  LEFT JOIN finance.credit_note_line l ON l.adjustment_id = a.adjustment_id
  LEFT JOIN finance.credit_note n ON n.credit_note_id = l.credit_note_id
 WHERE a.rerate_id = $1::bigint
 GROUP BY 1, 2, 3 ORDER BY 1, 3;
