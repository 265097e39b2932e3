-- A tenant's balance with the issuer and in the currency of an invoice.
-- $1 bigint invoice
SELECT COALESCE((SELECT b.balance_after FROM finance.balance_entry b
                  WHERE b.tenant = v.tenant AND b.issuer = v.issuer AND b.currency = v.currency ORDER BY b.place DESC LIMIT 1), 0)
  FROM finance.invoice v WHERE v.invoice_id = $1::bigint;
