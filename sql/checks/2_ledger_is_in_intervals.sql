-- for each series, interval and meter: the sum over ledger rows of summed batches, archived ones by their sums = the sum over intervals
WITH ledger AS (
	SELECT series_id, interval_start, meter_id, sum(quantity) AS quantity FROM (
	SELECT series_id, date_bin('15 minutes', event_time, 'epoch') AS interval_start, meter_id, quantity
	  FROM metering.event_quantity WHERE batch_id IN (SELECT batch_id FROM metering.summed_batch)
	 UNION ALL
	SELECT q.series_id, q.interval_start, q.meter_id, q.quantity FROM metering.archived_quantity q JOIN metering.archive_out o USING (archive_id)
	) r GROUP BY 1, 2, 3
), intervals AS (
	SELECT series_id, interval_start, meter_id, sum(quantity) AS quantity FROM metering.interval_quantity GROUP BY 1, 2, 3
)
SELECT series_id AS series, interval_start AS interval, meter_id AS meter, COALESCE(l.quantity, 0) AS ledger,
       COALESCE(i.quantity, 0) AS intervals
  FROM ledger l FULL JOIN intervals i USING (series_id, interval_start, meter_id)
 WHERE COALESCE(l.quantity, 0) <> COALESCE(i.quantity, 0);
