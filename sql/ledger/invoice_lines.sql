-- The lines of invoices, in the order of the list, and which of it each belongs to.
-- $1 bigint[] invoices
SELECT l.line, l.model, l.service_tier, l.meter, CASE WHEN l.priced_as = l.meter THEN '' ELSE l.priced_as END, l.tier, l.quantity, l.decimals,
       trim_scale(l.price), l.per, trim_scale(l.exact_amount), l.amount_minor, l.book, l.book_version, l.rule, l.kind,
       COALESCE(l.billed, l.quantity), l.detail, l.adjustment_id, o.place
  FROM unnest($1::bigint[]) WITH ORDINALITY AS o (invoice_id, place)
  JOIN finance.invoice_line l ON l.invoice_id = o.invoice_id
 ORDER BY o.place, l.line;
