-- A page of the invoice lines of a period, by tenant, invoice and line; of a contract's own lines only what they have, and of adjustments
-- no price.  Invoice and line are one number for the place: invoice x 2^31 + line.
-- $1 text     period, YYYY-MM
-- $2 text     tenant, '' for all
-- $3 text     tenant of the last row seen
-- $4 bigint   place of the last row seen
-- $5 integer  rows at most
SELECT i.tenant, i.invoice_id * 2147483648 + l.line, coalesce(i.number, 'draft'), i.period, l.line, l.kind, l.model, l.service_tier, l.meter,
       l.priced_as, CASE WHEN l.meter <> '' AND l.adjustment_id IS NULL THEN l.tier END,
       CASE WHEN l.meter <> '' THEN trim_scale(l.quantity * power(10::numeric, -l.decimals))::text END,
       CASE WHEN l.adjustment_id IS NULL THEN trim_scale(COALESCE(l.billed, l.quantity) * power(10::numeric, -l.decimals))::text END,
       CASE WHEN l.adjustment_id IS NULL THEN trim_scale(l.price)::text END, CASE WHEN l.adjustment_id IS NULL THEN l.per END,
       trim_scale(l.amount_minor * power(10::numeric, -i.minor_units))::text, i.currency,
       trim_scale(l.exact_amount)::text, l.book, NULLIF(l.book_version, 0), NULLIF(l.rule, 0), l.detail, l.adjustment_id
  FROM finance.invoice i
 CROSS JOIN LATERAL (
	SELECT * FROM finance.invoice_line
	 WHERE invoice_id = i.invoice_id
	   AND line > CASE WHEN i.tenant = $3::text AND i.invoice_id = $4::bigint >> 31 THEN $4::bigint & 2147483647 ELSE -1 END
	 ORDER BY line LIMIT $5::integer) l
 WHERE i.period = $1::text AND $2::text IN ('', i.tenant)
   AND (i.tenant > $3::text OR (i.tenant = $3::text AND i.invoice_id >= $4::bigint >> 31))
 ORDER BY i.tenant, i.invoice_id, l.line
 LIMIT $5::integer;
