-- What an invoice says in its lines, for its digest.
-- $1 bigint invoice
SELECT line, charge_ordinal, model, service_tier, meter, priced_as, tier, price, per, quantity, decimals, exact_amount, amount_minor,
       book, book_version, rule
  FROM finance.invoice_line WHERE invoice_id = $1::bigint ORDER BY line;
