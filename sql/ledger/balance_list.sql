-- What tenants have in their favour that no invoice needed yet, and what changed it last.
-- $1 text tenant, '' for all
SELECT b.tenant, b.issuer, b.currency, b.balance_after,
       (SELECT v.minor_units FROM finance.invoice v WHERE v.invoice_id = COALESCE(n.invoice_id, p.invoice_id)), b.place,
       to_char(b.booked_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), COALESCE(n.number, p.reference)
  FROM (SELECT DISTINCT ON (tenant, issuer, currency) * FROM finance.balance_entry ORDER BY tenant, issuer, currency, place DESC) b
  LEFT JOIN finance.credit_note n USING (credit_note_id)
  LEFT JOIN finance.payment p USING (payment_id)
 WHERE $1::text = '' OR b.tenant = $1::text
 ORDER BY b.tenant, b.issuer, b.currency;
