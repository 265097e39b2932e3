-- What invoices say in their lines, for their digests; then whether a line says more than lines could say at first, its adjustment, and which of
-- the list it belongs to.
-- $1 bigint[] invoices
SELECT l.line, l.charge_ordinal, l.model, l.service_tier, l.meter, l.priced_as, l.tier, l.price, l.per, l.quantity, l.decimals, l.exact_amount,
       l.amount_minor, l.book, l.book_version, l.rule, l.kind, l.billed, l.detail,
       l.kind <> 'usage' OR COALESCE(l.billed <> l.quantity, false) OR l.detail <> '', l.adjustment_id, o.place
  FROM unnest($1::bigint[]) WITH ORDINALITY AS o (invoice_id, place)
  JOIN finance.invoice_line l ON l.invoice_id = o.invoice_id
 ORDER BY o.place, l.line;
