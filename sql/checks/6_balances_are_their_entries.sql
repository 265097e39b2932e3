-- each tenant's balance goes on from entry to entry, and each entry is what its credit note or payment says
SELECT e.tenant, e.issuer, e.currency, e.place, e.before AS balance_was, e.amount_minor AS amount, e.balance_after
  FROM (SELECT *, COALESCE(lag(balance_after) OVER w, 0) AS before, lag(place) OVER w AS place_before
          FROM finance.balance_entry WINDOW w AS (PARTITION BY tenant, issuer, currency ORDER BY place)) e
 WHERE e.before + e.amount_minor <> e.balance_after OR e.balance_after < 0 OR e.place <> COALESCE(e.place_before, 0) + 1
UNION ALL
SELECT n.tenant, n.issuer, n.currency, e.place, NULL, COALESCE(e.amount_minor, 0), n.balance_minor
  FROM finance.credit_note n
  LEFT JOIN finance.balance_entry e USING (credit_note_id)
 WHERE n.balance_minor <> COALESCE(e.amount_minor, 0)
    OR (e.entry_id IS NOT NULL AND (n.tenant, n.issuer, n.currency) IS DISTINCT FROM (e.tenant, e.issuer, e.currency))
UNION ALL
SELECT v.tenant, v.issuer, p.currency, e.place, NULL, COALESCE(e.amount_minor, 0), x.amount
  FROM finance.payment p
  JOIN finance.invoice v USING (invoice_id)
  LEFT JOIN finance.balance_entry e USING (payment_id)
 CROSS JOIN LATERAL (SELECT CASE p.method WHEN 'balance' THEN p.excess_minor - p.amount_minor ELSE p.excess_minor END AS amount) x
 WHERE x.amount <> COALESCE(e.amount_minor, 0) OR p.currency <> v.currency
    OR (e.entry_id IS NOT NULL AND (v.tenant, v.issuer, v.currency) IS DISTINCT FROM (e.tenant, e.issuer, e.currency));
