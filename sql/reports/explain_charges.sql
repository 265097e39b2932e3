-- The charges of one rating on the same thing, each with its price and the rule that has it.  The rules of an extended book are counted
-- behind those of the book that extends it.
-- $1 bigint rating
-- $2 text kind of the charges
-- $3 text model
-- $4 text service tier
-- $5 smallint meter
SELECT c.ordinal, c.tier, trim_scale(c.quantity * 10::numeric ^ -COALESCE(m.decimals, 0)),
       trim_scale(COALESCE(c.billed, c.quantity) * 10::numeric ^ -COALESCE(m.decimals, 0)), trim_scale(c.price), c.per, trim_scale(c.amount), c.currency,
       b.book || ' v' || b.version || CASE WHEN c.rule > 0 THEN ' rule ' || c.rule ELSE '' END, c.detail,
       (o.document -> 'rules' -> (o.rule - 1))::text,
       CASE WHEN o.depth > 1 THEN o.book || ' version ' || o.version || ', rule ' || o.rule || ': ' ELSE '' END || (o.document -> 'rules' -> (o.rule - 1))::text
  FROM finance.charge c
  LEFT JOIN metering.meter m USING (meter_id)
  LEFT JOIN finance.price_book_version b USING (price_book_version_id)
  LEFT JOIN LATERAL (
	WITH RECURSIVE chain AS (
		SELECT b.book, b.version, d.document, c.rule, jsonb_array_length(COALESCE(d.document -> 'rules', '[]')) AS rules, 1 AS depth
		  FROM (SELECT b.document::jsonb AS document) d
		UNION ALL
		SELECT x.book, x.version, d.document, n.rule - n.rules, jsonb_array_length(COALESCE(d.document -> 'rules', '[]')), n.depth + 1
		  FROM chain n
		  JOIN finance.price_book_version x
		    ON x.book = n.document -> 'extends' ->> 'book' AND x.version = (n.document -> 'extends' ->> 'version')::integer
		 CROSS JOIN LATERAL (SELECT x.document::jsonb AS document) d
		 WHERE n.rule > n.rules
	)
	SELECT * FROM chain WHERE rule BETWEEN 1 AND rules ORDER BY depth LIMIT 1) o ON true
 WHERE c.rating_id = $1::bigint AND c.kind = $2::text AND c.model = $3::text AND c.service_tier = $4::text AND c.meter_id = $5::smallint
 ORDER BY c.ordinal;
