-- The sums of a period by currency, each from its own table, so that the workbook can set them against each other.  Charges are on the
-- invoice that has the period or in its draft; what re-rating changed since is in adjustments, which are on invoices of other periods.
-- $1 text  period, YYYY-MM
-- $2 text  tenant, '' for all
WITH documented AS (
	SELECT tenant, invoice_id, 'final' AS status FROM finance.invoiced_period WHERE period = $1::text AND $2::text IN ('', tenant)
	UNION ALL
	SELECT tenant, invoice_id, 'draft' FROM finance.invoice
	 WHERE period = $1::text AND $2::text IN ('', tenant) AND kind = 'period' AND status = 'draft'
), charged AS (
	SELECT c.currency, count(*) AS charges, count(DISTINCT r.tenant) AS tenants, sum(c.amount) AS exact,
	       sum(c.amount) FILTER (WHERE r.tenant NOT IN (SELECT tenant FROM documented)) AS open
	  FROM finance.current_rating r
	  JOIN finance.charge c USING (rating_id)
	 WHERE r.period = $1::text AND $2::text IN ('', r.tenant)
	 GROUP BY c.currency
), adjusted AS (
	SELECT a.currency, sum(a.exact_amount) AS exact,
	       sum(a.exact_amount) FILTER (WHERE a.tenant NOT IN (SELECT tenant FROM documented)) AS open
	  FROM finance.adjustment a
	 WHERE a.original_period = $1::text AND $2::text IN ('', a.tenant)
	   AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = a.adjustment_id)
	 GROUP BY a.currency
), billed AS (
	SELECT i.currency, sum(l.exact_amount) FILTER (WHERE d.status = 'final') AS final_exact,
	       sum(l.exact_amount) FILTER (WHERE d.status = 'draft') AS draft_exact
	  FROM documented d
	  JOIN finance.invoice i USING (invoice_id)
	  JOIN finance.invoice_line l USING (invoice_id)
	 WHERE l.adjustment_id IS NULL
	 GROUP BY i.currency
), lines AS (
	SELECT i.currency, count(*) AS lines, sum(l.exact_amount) AS exact,
	       sum(l.amount_minor * power(10::numeric, -i.minor_units) - l.exact_amount) AS rounding
	  FROM finance.invoice i JOIN finance.invoice_line l USING (invoice_id)
	 WHERE i.period = $1::text AND $2::text IN ('', i.tenant)
	 GROUP BY i.currency
), documents AS (
	SELECT i.currency, count(*) AS documents,
	       sum(i.net_minor * u.unit) FILTER (WHERE i.status = 'final') AS final_net,
	       sum(i.net_minor * u.unit) FILTER (WHERE i.status = 'draft') AS draft_net,
	       sum(i.credits_minor * u.unit) AS credits, sum(i.tax_minor * u.unit) AS tax, sum(i.total_minor * u.unit) AS total,
	       sum(s.credited_minor * u.unit) AS credited, sum(s.paid_minor * u.unit) AS paid, sum(s.due_minor * u.unit) AS due
	  FROM finance.invoice i
	 CROSS JOIN LATERAL (SELECT power(10::numeric, -i.minor_units) AS unit) u
	  LEFT JOIN finance.invoice_standing s USING (invoice_id)
	 WHERE i.period = $1::text AND $2::text IN ('', i.tenant)
	 GROUP BY i.currency
)
SELECT currency, coalesce(charges, 0), coalesce(tenants, 0), coalesce(lines, 0), coalesce(documents, 0),
       trim_scale(coalesce(c.exact, 0))::text, trim_scale(coalesce(c.open, 0) - coalesce(a.open, 0))::text,
       trim_scale(coalesce(b.final_exact, 0))::text, trim_scale(coalesce(b.draft_exact, 0))::text, trim_scale(coalesce(a.exact, 0))::text,
       trim_scale(coalesce(l.exact, 0))::text, trim_scale(coalesce(l.rounding, 0))::text,
       trim_scale(coalesce(d.final_net, 0))::text, trim_scale(coalesce(d.draft_net, 0))::text, trim_scale(coalesce(d.credits, 0))::text,
       trim_scale(coalesce(d.tax, 0))::text, trim_scale(coalesce(d.total, 0))::text, trim_scale(coalesce(d.credited, 0))::text,
       trim_scale(coalesce(d.paid, 0))::text, trim_scale(coalesce(d.due, 0))::text
  FROM charged c
  FULL JOIN adjusted a USING (currency)
  FULL JOIN billed b USING (currency)
  FULL JOIN lines l USING (currency)
  FULL JOIN documents d USING (currency)
 ORDER BY currency;
