-- A line from each of these adjustments: its amount is its price, once; which period, why and by which price version stand in the detail.
-- $1 bigint[] invoices, one for each line
-- $2 integer[] lines, from 1
-- $3 bigint[] adjustments
INSERT INTO finance.invoice_line (invoice_id, line, charge_ordinal, model, service_tier, meter, priced_as, tier, price, per, quantity,
       decimals, exact_amount, amount_minor, book, book_version, rule, kind, billed, detail, adjustment_id)
SELECT n.invoice_id, n.line, 0, a.model, a.service_tier, COALESCE(m.name, ''), COALESCE(m.name, ''), 0, a.exact_amount, 1, a.quantity,
       COALESCE(m.decimals, 0), a.exact_amount, a.amount_minor, COALESCE(b.book, ''), COALESCE(b.version, 0), 0, a.kind,
       10::numeric ^ COALESCE(m.decimals, 0),
       a.original_period || CASE WHEN a.reverses IS NULL THEN ', re-rated: ' ELSE ', taken back: ' END || a.reason ||
       COALESCE(', ' || b.book || ' v' || b.version, ''), a.adjustment_id
  FROM unnest($1::bigint[], $2::integer[], $3::bigint[]) AS n (invoice_id, line, adjustment_id)
  JOIN finance.adjustment a ON a.adjustment_id = n.adjustment_id
  LEFT JOIN metering.meter m ON m.meter_id = a.meter_id
  LEFT JOIN finance.price_book_version b USING (price_book_version_id);
