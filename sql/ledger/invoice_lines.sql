-- The lines of an invoice.
-- $1 bigint invoice
SELECT line, model, service_tier, meter, CASE WHEN priced_as = meter THEN '' ELSE priced_as END, tier, quantity, decimals,
       trim_scale(price), per, trim_scale(exact_amount), amount_minor, book, book_version, rule, kind, COALESCE(billed, quantity), detail,
       adjustment_id
  FROM finance.invoice_line WHERE invoice_id = $1::bigint ORDER BY line;
