-- every interval lies in a period that is rated or waits to be
SELECT s.tenant, i.interval_start AS interval, count(*) AS increments
  FROM (SELECT rating_run, series_id, interval_start FROM metering.usage_interval
        UNION SELECT rating_run, series_id, interval_start FROM metering.usage_interval_extra) i
  JOIN metering.usage_series s USING (series_id)
 WHERE NOT EXISTS (
	SELECT FROM finance.billing_period p
	 WHERE p.tenant = s.tenant AND i.interval_start >= p.starts AND i.interval_start < p.ends
	   AND (EXISTS (SELECT FROM finance.rating_due d WHERE d.tenant = p.tenant AND d.period = p.period)
	     OR EXISTS (SELECT FROM finance.current_rating r WHERE r.tenant = p.tenant AND r.period = p.period AND r.summed_until >= i.rating_run)))
 GROUP BY s.tenant, i.interval_start;
