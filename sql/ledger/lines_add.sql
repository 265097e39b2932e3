-- A line from each of these charges; a contract's own charge has no meter and no book.
-- $1 bigint invoice
-- $2 bigint rating
-- $3 integer[] the charges' places, in the order of the lines
-- $4 bigint[] their amounts in minor units
INSERT INTO finance.invoice_line (invoice_id, line, charge_ordinal, model, service_tier, meter, priced_as, tier, price, per, quantity,
       decimals, exact_amount, amount_minor, book, book_version, rule, kind, billed, detail)
SELECT $1::bigint, n.line, h.ordinal, h.model, h.service_tier, COALESCE(m.name, ''), COALESCE(a.name, ''), h.tier, h.price, h.per,
       h.quantity, COALESCE(m.decimals, 0), h.amount, n.minor, COALESCE(v.book, ''), COALESCE(v.version, 0), h.rule, h.kind, h.billed,
       h.detail
  FROM unnest($3::integer[], $4::bigint[]) WITH ORDINALITY AS n (ordinal, minor, line)
  JOIN finance.charge h ON h.rating_id = $2::bigint AND h.ordinal = n.ordinal
  LEFT JOIN metering.meter m USING (meter_id)
  LEFT JOIN metering.meter a ON a.meter_id = h.priced_as
  LEFT JOIN finance.price_book_version v USING (price_book_version_id);
