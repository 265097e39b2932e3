-- A page of the invoice lines of a period, by tenant and line; of a contract's own lines only what they have.
-- $1 text     period, YYYY-MM
-- $2 text     tenant, '' for all
-- $3 text     tenant of the last row seen
-- $4 integer  line of the last row seen
-- $5 integer  rows at most
SELECT i.tenant, l.line, coalesce(i.number, 'draft'), i.period, l.kind, l.model, l.service_tier, l.meter, l.priced_as,
       CASE WHEN l.meter <> '' THEN l.tier END,
       CASE WHEN l.meter <> '' THEN trim_scale(l.quantity * power(10::numeric, -l.decimals))::text END,
       trim_scale(COALESCE(l.billed, l.quantity) * power(10::numeric, -l.decimals))::text, trim_scale(l.price)::text, l.per,
       trim_scale(l.amount_minor * power(10::numeric, -i.minor_units))::text, i.currency,
       trim_scale(l.exact_amount)::text, l.book, NULLIF(l.book_version, 0), CASE WHEN l.book <> '' THEN l.rule END, l.detail
  FROM finance.invoice i
 CROSS JOIN LATERAL (
	SELECT * FROM finance.invoice_line
	 WHERE invoice_id = i.invoice_id AND line > CASE WHEN i.tenant = $3::text THEN $4::integer ELSE -1 END
	 ORDER BY line LIMIT $5::integer) l
 WHERE i.period = $1::text AND $2::text IN ('', i.tenant) AND i.tenant >= $3::text
 ORDER BY i.tenant, l.line
 LIMIT $5::integer;
