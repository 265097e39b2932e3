-- Changes a tenant's balance with the issuer and in the currency of an invoice.
-- $1 bigint invoice
-- $2 bigint change in minor units
-- $3 bigint credit note that brought it, or NULL
-- $4 bigint payment whose excess brought it, or that took it, or NULL
-- $5 timestamptz when
-- $6 text by whom
INSERT INTO finance.balance_entry (tenant, issuer, currency, place, amount_minor, balance_after, credit_note_id, payment_id, booked_at, booked_by)
SELECT v.tenant, v.issuer, v.currency, COALESCE(b.place, 0) + 1, $2::bigint, COALESCE(b.balance_after, 0) + $2::bigint, $3::bigint, $4::bigint,
       $5::timestamptz, $6::text
  FROM finance.invoice v
  LEFT JOIN LATERAL (SELECT e.place, e.balance_after FROM finance.balance_entry e
                      WHERE e.tenant = v.tenant AND e.issuer = v.issuer AND e.currency = v.currency ORDER BY e.place DESC LIMIT 1) b ON true
 WHERE v.invoice_id = $1::bigint;
