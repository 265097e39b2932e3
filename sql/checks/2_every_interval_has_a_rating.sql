-- every interval lies in a period that is rated or waits to be
WITH rated AS MATERIALIZED (
	SELECT p.tenant, p.starts, p.ends,
	       CASE WHEN d.tenant IS NOT NULL THEN 9223372036854775807 ELSE r.summed_until END AS summed_until
	  FROM finance.billing_period p
	  LEFT JOIN finance.rating_due d ON d.tenant = p.tenant AND d.period = p.period
	  LEFT JOIN finance.current_rating r ON r.tenant = p.tenant AND r.period = p.period
)
SELECT s.tenant, i.interval_start AS interval, count(*) AS increments
  FROM (SELECT rating_run, series_id, interval_start FROM metering.usage_interval
        UNION SELECT rating_run, series_id, interval_start FROM metering.usage_interval_extra) i
  JOIN metering.usage_series s USING (series_id)
 WHERE NOT EXISTS (
	SELECT FROM rated r
	 WHERE r.tenant = s.tenant AND i.interval_start >= r.starts AND i.interval_start < r.ends AND i.rating_run <= r.summed_until)
 GROUP BY s.tenant, i.interval_start;
