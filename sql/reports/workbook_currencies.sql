-- The sums of a period by currency, each from its own table, so that the workbook can set them against each other.
-- $1 text  period, YYYY-MM
-- $2 text  tenant, '' for all
WITH charged AS (
	SELECT c.currency, count(*) AS charges, count(DISTINCT r.tenant) AS tenants, sum(c.amount) AS exact,
	       sum(c.amount) FILTER (WHERE i.invoice_id IS NULL) AS open
	  FROM finance.current_rating r
	  JOIN finance.charge c USING (rating_id)
	  LEFT JOIN finance.invoice i ON i.tenant = r.tenant AND i.period = r.period
	 WHERE r.period = $1::text AND $2::text IN ('', r.tenant)
	 GROUP BY c.currency
), lines AS (
	SELECT i.currency, count(*) AS lines,
	       sum(l.exact_amount) FILTER (WHERE i.status = 'final') AS final_exact,
	       sum(l.exact_amount) FILTER (WHERE i.status = 'draft') AS draft_exact,
	       sum(l.amount_minor * power(10::numeric, -i.minor_units) - l.exact_amount) AS rounding
	  FROM finance.invoice i JOIN finance.invoice_line l USING (invoice_id)
	 WHERE i.period = $1::text AND $2::text IN ('', i.tenant)
	 GROUP BY i.currency
), documents AS (
	SELECT currency, count(*) AS documents,
	       sum(total_minor * power(10::numeric, -minor_units)) FILTER (WHERE status = 'final') AS final_total,
	       sum(total_minor * power(10::numeric, -minor_units)) FILTER (WHERE status = 'draft') AS draft_total
	  FROM finance.invoice
	 WHERE period = $1::text AND $2::text IN ('', tenant)
	 GROUP BY currency
)
SELECT currency, coalesce(charges, 0), coalesce(tenants, 0), coalesce(lines, 0), coalesce(documents, 0),
       trim_scale(coalesce(exact, 0))::text, trim_scale(coalesce(open, 0))::text,
       trim_scale(coalesce(final_exact, 0))::text, trim_scale(coalesce(draft_exact, 0))::text,
       trim_scale(coalesce(rounding, 0))::text,
       trim_scale(coalesce(final_total, 0))::text, trim_scale(coalesce(draft_total, 0))::text
  FROM charged FULL JOIN lines USING (currency) FULL JOIN documents USING (currency)
 ORDER BY currency;
