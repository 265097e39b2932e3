-- One line from one charge; a contract's own charge has no meter and no book.
-- $1 bigint invoice
-- $2 integer line, from 1
-- $3 bigint rating
-- $4 integer the charge's place
-- $5 bigint amount in minor units
INSERT INTO finance.invoice_line (invoice_id, line, charge_ordinal, model, service_tier, meter, priced_as, tier, price, per, quantity,
       decimals, exact_amount, amount_minor, book, book_version, rule, kind, billed, detail)
SELECT $1::bigint, $2::integer, h.ordinal, h.model, h.service_tier, COALESCE(m.name, ''), COALESCE(a.name, ''), h.tier, h.price, h.per,
       h.quantity, COALESCE(m.decimals, 0), h.amount, $5::bigint, COALESCE(v.book, ''), COALESCE(v.version, 0), h.rule, h.kind, h.billed,
       h.detail
  FROM finance.charge h
  LEFT JOIN metering.meter m USING (meter_id)
  LEFT JOIN metering.meter a ON a.meter_id = h.priced_as
  LEFT JOIN finance.price_book_version v USING (price_book_version_id)
 WHERE h.rating_id = $3::bigint AND h.ordinal = $4::integer;
