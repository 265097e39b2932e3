-- Puts what a credit note hands back on the balance of the tenant.
-- $1 bigint credit note
-- $2 timestamptz when
-- $3 text by whom
INSERT INTO finance.balance_entry (tenant, issuer, currency, place, amount_minor, balance_after, credit_note_id, booked_at, booked_by)
SELECT n.tenant, n.issuer, n.currency, COALESCE(e.place, 0) + 1, n.balance_minor, COALESCE(e.balance_after, 0) + n.balance_minor,
       n.credit_note_id, $2::timestamptz, $3::text
  FROM finance.credit_note n
  LEFT JOIN LATERAL (
	SELECT place, balance_after FROM finance.balance_entry
	 WHERE tenant = n.tenant AND issuer = n.issuer AND currency = n.currency ORDER BY place DESC LIMIT 1) e ON true
 WHERE n.credit_note_id = $1::bigint AND n.balance_minor > 0;
