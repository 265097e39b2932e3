-- Documents that were issued by an instant and that no night has written: invoices, then credit notes, in the order of their numbers; last,
-- how many lines an invoice has.
-- $1 timestamptz the instant
SELECT folder, issuer, year, number, tenant, period, lines FROM (
	SELECT 'invoices' AS folder, issuer, series_year AS year, series_number AS place, number, tenant, period,
	       (SELECT count(*) FROM finance.invoice_line l WHERE l.invoice_id = i.invoice_id) AS lines
	  FROM finance.invoice i WHERE status = 'final' AND finalized_at <= $1::timestamptz
	UNION ALL
	SELECT 'credit-notes', n.issuer, n.series_year, n.series_number, n.number, n.tenant, v.period, 0
	  FROM finance.credit_note n JOIN finance.invoice v USING (invoice_id) WHERE n.issued_at <= $1::timestamptz) d
 WHERE NOT EXISTS (
	SELECT FROM finance.night_unit u
	 WHERE u.step = 'documents' AND u.unit = folder || '/' || issuer || '/' || year || '/' || number || '.json' AND u.is_done)
 ORDER BY folder DESC, issuer, year, place;
