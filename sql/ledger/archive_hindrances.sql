-- What stands against archiving a month.
-- $1 date the month
WITH month AS (
	SELECT to_char($1::date, 'YYYY-MM') AS name, $1::timestamp AT TIME ZONE 'UTC' AS starts, ($1::date + interval '1 month') AT TIME ZONE 'UTC' AS ends
)
SELECT m.name || ' is not closed for good' FROM month m
 WHERE NOT EXISTS (SELECT FROM finance.period_state s WHERE s.period = m.name AND s.state = 'hard')
UNION ALL
SELECT 'it has usage of the period ' || p.period || ' of ' || count(*) || CASE count(*) WHEN 1 THEN ' tenant' ELSE ' tenants' END || ' (' || min(p.tenant) ||
       CASE count(*) WHEN 1 THEN '' ELSE ' ...' END || '), which is not closed for good'
  FROM month m
  JOIN finance.billing_period p ON p.starts < m.ends AND p.ends > m.starts AND p.period <> m.name
 WHERE NOT EXISTS (SELECT FROM finance.period_state s WHERE s.period = p.period AND s.state = 'hard')
   AND EXISTS (SELECT FROM metering.usage_series u JOIN metering.usage_interval i USING (series_id)
                WHERE u.tenant = p.tenant AND i.interval_start >= greatest(p.starts, m.starts) AND i.interval_start < least(p.ends, m.ends))
 GROUP BY p.period
UNION ALL
SELECT count(*) || CASE count(*) WHEN 1 THEN ' batch' ELSE ' batches' END || ' with usage of it that no rating has summed'
  FROM month m
  JOIN metering.ingest_batch b ON b.ledger_rows > 0 AND b.first_event_time < m.ends AND b.last_event_time >= m.starts
 WHERE NOT EXISTS (SELECT FROM metering.summed_batch s WHERE s.batch_id = b.batch_id)
HAVING count(*) > 0
UNION ALL
SELECT 'the period ' || d.period || ' of ' || d.tenant || ' is to be rated yet'
  FROM month m
  JOIN finance.billing_period p ON p.starts < m.ends AND p.ends > m.starts
  JOIN finance.rating_due d ON d.tenant = p.tenant AND d.period = p.period
UNION ALL
SELECT 're-rate ' || r.rerate_id || ' of it is neither applied nor rejected'
  FROM month m
  JOIN finance.rerate r ON r.period = m.name
 WHERE NOT EXISTS (SELECT FROM finance.rerate_decision d WHERE d.rerate_id = r.rerate_id AND d.decision IN ('applied', 'rejected'))
UNION ALL
SELECT 'its part ' || a.part || ' (' || a.file || ') is attached: tollbook archive detach ' || to_char(a.month, 'YYYY-MM')
  FROM metering.archive a
 WHERE a.month = $1::date AND NOT EXISTS (SELECT FROM metering.archive_out o WHERE o.archive_id = a.archive_id);
