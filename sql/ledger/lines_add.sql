-- A line from each of these charges; a contract's own charge has no meter and no book.
-- $1 bigint[] invoices, one for each line
-- $2 bigint[] ratings
-- $3 integer[] the charges' places in them
-- $4 integer[] lines, from 1
-- $5 bigint[] amounts in minor units
INSERT INTO finance.invoice_line (invoice_id, line, charge_ordinal, model, service_tier, meter, priced_as, tier, price, per, quantity,
       decimals, exact_amount, amount_minor, book, book_version, rule, kind, billed, detail)
SELECT n.invoice_id, n.line, h.ordinal, h.model, h.service_tier, COALESCE(m.name, ''), COALESCE(a.name, ''), h.tier, h.price, h.per,
       h.quantity, COALESCE(m.decimals, 0), h.amount, n.minor, COALESCE(v.book, ''), COALESCE(v.version, 0), h.rule, h.kind, h.billed,
       h.detail
  FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $5::bigint[]) AS n (invoice_id, rating_id, ordinal, line, minor)
  JOIN finance.charge h ON h.rating_id = n.rating_id AND h.ordinal = n.ordinal
  LEFT JOIN metering.meter m USING (meter_id)
  LEFT JOIN metering.meter a ON a.meter_id = h.priced_as
  LEFT JOIN finance.price_book_version v USING (price_book_version_id);
