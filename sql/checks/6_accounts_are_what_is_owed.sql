-- by tenant and currency: receivables = what is due of invoices, and never less than nothing; customer and prepaid balances = their accounts
WITH owed AS (
	SELECT v.tenant, v.issuer, v.currency, 'receivable' AS account, s.due_minor AS amount
	  FROM finance.invoice_standing s JOIN finance.invoice v USING (invoice_id)
	UNION ALL
	SELECT tenant, issuer, currency, 'customer_balance', -amount_minor FROM finance.balance_entry
	UNION ALL
	SELECT g.tenant, g.issuer, g.currency, 'deferred_revenue', -e.amount_minor
	  FROM finance.credit_grant g JOIN finance.credit_entry e USING (grant_id) WHERE g.kind = 'prepaid'
)
SELECT tenant, issuer, currency, account, COALESCE(j.amount, 0) AS in_the_journal, COALESCE(o.amount, 0) AS owed
  FROM (SELECT tenant, issuer, currency, account, sum(amount_minor) AS amount FROM finance.journal_line
         WHERE account IN ('receivable', 'customer_balance', 'deferred_revenue') GROUP BY tenant, issuer, currency, account) j
  FULL JOIN (SELECT tenant, issuer, currency, account, sum(amount) AS amount FROM owed GROUP BY tenant, issuer, currency, account) o
       USING (tenant, issuer, currency, account)
 WHERE COALESCE(j.amount, 0) <> COALESCE(o.amount, 0)
UNION ALL
SELECT v.tenant, v.issuer, v.currency, v.number, v.total_minor, s.due_minor
  FROM finance.invoice_standing s JOIN finance.invoice v USING (invoice_id)
 WHERE s.due_minor < 0;
