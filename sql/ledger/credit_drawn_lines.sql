-- What an invoice would say with the charges of another rating, like credit_draw_lines.sql: these as lines, numbered from 1; its lines of adjustments,
-- numbered below 0; and as 0, which nobody pays, what was credited of its lines otherwise.
-- $1 bigint invoice
-- $2 bigint rating
SELECT 1, h.ordinal + 1, h.model, h.meter_id, round(h.amount * 10::numeric ^ v.minor_units)::bigint,
       (extract(epoch FROM h.first_interval) * 1000000)::bigint, (extract(epoch FROM h.last_interval) * 1000000)::bigint
  FROM finance.invoice v
  JOIN finance.charge h ON h.rating_id = $2::bigint
 WHERE v.invoice_id = $1::bigint AND h.price <> 0
UNION ALL
SELECT 1, -l.line, a.model, a.meter_id, l.amount_minor, (extract(epoch FROM a.first_interval) * 1000000)::bigint,
       (extract(epoch FROM a.last_interval) * 1000000)::bigint
  FROM finance.invoice_line l
  JOIN finance.adjustment a USING (adjustment_id)
 WHERE l.invoice_id = $1::bigint
UNION ALL
SELECT 1, 0, '', 0, -sum(n.amount_minor)::bigint, 0, 0
  FROM finance.credit_note_line n
 WHERE n.invoice_id = $1::bigint AND n.line IS NOT NULL
HAVING sum(n.amount_minor) > 0
 ORDER BY 2;
