-- What an invoice says in its lines, for its digest; then whether a line says more than lines could say at first, and its adjustment.
-- $1 bigint invoice
SELECT line, charge_ordinal, model, service_tier, meter, priced_as, tier, price, per, quantity, decimals, exact_amount, amount_minor,
       book, book_version, rule, kind, billed, detail, kind <> 'usage' OR COALESCE(billed <> quantity, false) OR detail <> '', adjustment_id
  FROM finance.invoice_line WHERE invoice_id = $1::bigint ORDER BY line;
