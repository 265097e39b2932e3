-- What tenants have in their favour with the issuers and in the currencies of invoices: which of the list, and the balance, where there is one.
-- $1 bigint[] invoices
SELECT o.place, b.balance_after
  FROM unnest($1::bigint[]) WITH ORDINALITY AS o (invoice_id, place)
  JOIN finance.invoice v ON v.invoice_id = o.invoice_id
 CROSS JOIN LATERAL (SELECT e.balance_after FROM finance.balance_entry e
                      WHERE e.tenant = v.tenant AND e.issuer = v.issuer AND e.currency = v.currency ORDER BY e.place DESC LIMIT 1) b
 WHERE b.balance_after > 0
 ORDER BY o.place;
