-- One line of an invoice with everything it was made from.  The rules of an extended book are counted behind those of the book that extends
-- it; what a contract adds has no meter and no book.
-- $1 bigint invoice
-- $2 integer line
WITH RECURSIVE line AS (
	SELECT v.rating_id, v.tenant, v.period, v.minor_units, v.currency, v.starts, v.ends, l.*
	  FROM finance.invoice v
	  JOIN finance.invoice_line l USING (invoice_id)
	 WHERE v.invoice_id = $1::bigint AND l.line = $2::integer
), chain AS (
	SELECT b.book, b.version, b.effective, d.document, l.rule, jsonb_array_length(COALESCE(d.document -> 'rules', '[]')) AS rules, 1 AS depth
	  FROM line l
	  JOIN finance.price_book_version b ON b.book = l.book AND b.version = l.book_version
	 CROSS JOIN LATERAL (SELECT b.document::jsonb AS document) d
	UNION ALL
	SELECT b.book, b.version, b.effective, d.document, c.rule - c.rules, jsonb_array_length(COALESCE(d.document -> 'rules', '[]')), c.depth + 1
	  FROM chain c
	  JOIN finance.price_book_version b
	    ON b.book = c.document -> 'extends' ->> 'book' AND b.version = (c.document -> 'extends' ->> 'version')::integer
	 CROSS JOIN LATERAL (SELECT b.document::jsonb AS document) d
	 WHERE c.rule > c.rules
)
SELECT l.invoice_id, l.rating_id, l.tenant, l.period, l.model, l.service_tier, l.meter, COALESCE(m.meter_id, 0), l.priced_as, l.tier,
       trim_scale(l.price), l.per, l.quantity, trim_scale(l.exact_amount), l.amount_minor, l.minor_units, l.currency, l.book, l.book_version,
       to_char(b.effective, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), l.rule,
       CASE WHEN o.depth > 1 THEN o.book || ' version ' || o.version || ', rule ' || o.rule || ': ' ELSE '' END
    || (o.document -> 'rules' -> (o.rule - 1))::text,
       to_char(l.starts, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(l.ends, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), r.priced_until,
       l.kind, COALESCE(l.billed, l.quantity), l.detail, h.counter,
       (SELECT COALESCE(sum(x.quantity), 0) FROM finance.current_rating e JOIN finance.charge x USING (rating_id)
         WHERE h.counter <> '' AND e.tenant = l.tenant AND e.period < l.period AND x.counter = h.counter),
       c.contract_id, to_char(c.effective, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(c.applied_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), c.applied_by,
       COALESCE(NULLIF(c.terms, '')::jsonb -> CASE l.kind WHEN 'fee' THEN 'fees' WHEN 'discount' THEN 'discounts' WHEN 'overage' THEN 'commitment'
           WHEN 'true_up' THEN 'commitment' WHEN 'minimum' THEN 'minimum' WHEN 'maximum' THEN 'maximum' END, 'null')::text,
       to_char(h.first_interval, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(h.last_interval, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       (o.document -> 'rules' -> (o.rule - 1))::text
  FROM line l
  JOIN finance.rating r USING (rating_id)
  JOIN finance.charge h ON h.rating_id = l.rating_id AND h.ordinal = l.charge_ordinal
  LEFT JOIN finance.contract c USING (contract_id)
  LEFT JOIN metering.meter m ON m.name = l.meter
  LEFT JOIN finance.price_book_version b ON b.book = l.book AND b.version = l.book_version
  LEFT JOIN LATERAL (SELECT * FROM chain WHERE rule <= rules ORDER BY depth LIMIT 1) o ON true;
