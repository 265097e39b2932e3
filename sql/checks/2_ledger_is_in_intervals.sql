-- for each meter: the sum over ledger rows of summed batches = the sum over intervals
WITH ledger AS (
	SELECT meter_id, sum(quantity) AS quantity FROM metering.event_quantity JOIN metering.summed_batch USING (batch_id) GROUP BY meter_id
), intervals AS (
	SELECT meter_id, sum(quantity) AS quantity FROM metering.interval_quantity GROUP BY meter_id
)
SELECT COALESCE(l.meter_id, i.meter_id) AS meter, COALESCE(l.quantity, 0) AS ledger, COALESCE(i.quantity, 0) AS intervals
  FROM ledger l FULL JOIN intervals i USING (meter_id)
 WHERE COALESCE(l.quantity, 0) <> COALESCE(i.quantity, 0);
