-- The periods whose spend is published: of each tenant the one that the instant is in, the one before while it has usage and is neither
-- invoiced nor in a closed month, and one that was asked for.  With rating and whether it is invoiced or closed, whether the tenant waits for a rating run, whether there are
-- intervals that nobody rated, and the currency that nothing spent is told in.  Which period an instant is in, rating/due_add.sql
-- explains; the borders of a period without usage are what rating/period_ensure.sql would settle.
-- $1 timestamptz now
-- $2 text period to add, '' for none
WITH tenants AS (
	SELECT t.tenant, COALESCE(c.zone, 'UTC') AS zone, COALESCE(c.anchor, 1::smallint) AS anchor, c.zone IS NOT NULL AS contracted
	  FROM (SELECT tenant FROM finance.contract UNION SELECT tenant FROM finance.billing_period) t
	  LEFT JOIN (SELECT DISTINCT ON (tenant) tenant, zone, anchor FROM finance.contract ORDER BY tenant, effective) c USING (tenant)
), current AS (
	SELECT t.*, COALESCE((p.period || '-01')::timestamp, finance.period_month($1::timestamptz, t.anchor, t.zone)) AS month
	  FROM tenants t
	  LEFT JOIN finance.billing_period p ON p.tenant = t.tenant AND $1::timestamptz >= p.starts AND $1::timestamptz < p.ends
), wanted AS (
	SELECT tenant, zone, anchor, contracted, month, to_char(month, 'YYYY-MM') AS period, 'current' AS why FROM current
	UNION ALL
	SELECT tenant, zone, anchor, contracted, month - interval '1 month', to_char(month - interval '1 month', 'YYYY-MM'), 'before' FROM current
	UNION ALL
	SELECT tenant, zone, anchor, contracted, ($2::text || '-01')::timestamp, $2::text, 'asked' FROM current
	 WHERE $2::text NOT IN ('', to_char(month, 'YYYY-MM'), to_char(month - interval '1 month', 'YYYY-MM'))
), published AS (
	SELECT w.tenant, w.period, w.contracted, p.provisional,
	       COALESCE(p.starts, before.ends, finance.period_begin(w.month, w.anchor, w.zone)) AS starts,
	       COALESCE(p.ends, after.starts, finance.period_begin(w.month + interval '1 month', w.anchor, w.zone)) AS ends,
	       f.rating_id, r.rating_run, r.priced_with, r.contracted_with, x.closed AS invoiced
	  FROM wanted w
	  LEFT JOIN finance.billing_period p ON p.tenant = w.tenant AND p.period = w.period
	  LEFT JOIN finance.billing_period before ON before.tenant = w.tenant AND before.period = to_char(w.month - interval '1 month', 'YYYY-MM')
	  LEFT JOIN finance.billing_period after ON after.tenant = w.tenant AND after.period = to_char(w.month + interval '1 month', 'YYYY-MM')
	  LEFT JOIN finance.rating_in_force f ON f.tenant = w.tenant AND f.period = w.period
	  LEFT JOIN finance.rating r ON r.rating_id = f.rating_id
	 CROSS JOIN LATERAL (
		SELECT EXISTS (SELECT FROM finance.invoiced_period i WHERE i.tenant = w.tenant AND i.period = w.period)
		    OR EXISTS (SELECT FROM finance.period_state s WHERE s.period = w.period AND s.state <> 'open') AS closed) x
	 WHERE w.why = 'current' OR (p.period IS NOT NULL AND (NOT x.closed OR w.period = $2::text))
)
SELECT w.tenant, w.period, (extract(epoch FROM w.starts) * 1000000)::bigint, (extract(epoch FROM w.ends) * 1000000)::bigint,
       w.rating_id, w.rating_run, w.invoiced,
       bool_or(EXISTS (SELECT FROM finance.rating_due d WHERE d.tenant = w.tenant AND d.period = w.period)
            OR (w.contracted AND EXISTS (SELECT FROM finance.billing_period p WHERE p.tenant = w.tenant AND p.provisional))
            OR (w.rating_id IS NOT NULL AND NOT w.invoiced AND
               (EXISTS (SELECT FROM finance.contract c WHERE c.tenant = w.tenant AND c.contract_id > w.contracted_with AND c.effective < w.ends)
             OR EXISTS (SELECT FROM finance.price_book_version v JOIN finance.contract c ON v.book IN (c.book, c.override) AND c.tenant = w.tenant
                         WHERE v.price_book_version_id > w.priced_with AND v.effective < w.ends)))) OVER (PARTITION BY w.tenant),
       CASE WHEN w.rating_id IS NULL
            THEN EXISTS (SELECT FROM metering.usage_series s JOIN metering.usage_interval i USING (series_id)
                          WHERE s.tenant = w.tenant AND i.interval_start >= w.starts AND i.interval_start < w.ends)
              OR EXISTS (SELECT FROM metering.usage_series s JOIN metering.usage_interval_extra i USING (series_id)
                          WHERE s.tenant = w.tenant AND i.interval_start >= w.starts AND i.interval_start < w.ends)
            ELSE false END,
       (SELECT c.currency FROM finance.contract c WHERE c.tenant = w.tenant AND c.effective < w.ends ORDER BY c.effective DESC LIMIT 1)
  FROM published w
 ORDER BY w.tenant, w.period;
