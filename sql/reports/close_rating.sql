-- What of a month is to be rated yet: batches not summed, periods that are due, or would be in the next run, for newer prices or contracts
-- or because terms charge without usage.  (A correction may be about usage before its own time.)
-- $1 text period
-- $2 timestamptz where the month ends last
SELECT count(*) || CASE count(*) WHEN 1 THEN ' batch is' ELSE ' batches are' END || ' not summed, with ' || sum(b.ledger_rows) || ' ledger rows', NULL::numeric, NULL::text
  FROM metering.ingest_batch b
 WHERE b.ledger_rows > 0 AND NOT EXISTS (SELECT FROM metering.summed_batch s WHERE s.batch_id = b.batch_id)
   AND (b.first_event_time < $2::timestamptz OR EXISTS (SELECT FROM metering.usage_correction c WHERE c.batch_id = b.batch_id))
HAVING count(*) > 0
UNION ALL
SELECT 'the period of ' || tenant || ' is due: ' || string_agg(why, ', '), NULL, NULL
  FROM (SELECT d.tenant, 'usage' AS why FROM finance.rating_due d WHERE d.period = $1::text
        UNION ALL
        SELECT r.tenant, 'a newer contract or price book'
          FROM finance.current_rating r
          JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period
         WHERE r.period = $1::text AND NOT finance.period_is_closed(r.period)
           AND NOT EXISTS (SELECT FROM finance.invoiced_period i WHERE i.tenant = r.tenant AND i.period = r.period)
           AND (EXISTS (SELECT FROM finance.contract c WHERE c.tenant = r.tenant AND c.contract_id > r.contracted_with AND c.effective < p.ends)
            OR EXISTS (SELECT FROM finance.price_book_version v JOIN finance.contract c ON v.book IN (c.book, c.override) AND c.tenant = r.tenant
                        WHERE v.price_book_version_id > r.priced_with AND v.effective < p.ends))
        UNION ALL
        SELECT DISTINCT c.tenant, 'its contract charges without usage'
          FROM (SELECT tenant, terms, effective, least(until, lead(effective) OVER (PARTITION BY tenant ORDER BY effective)) AS until,
                       finance.period_begin(($1::text || '-01')::timestamp, anchor, zone) AS starts,
                       finance.period_begin(($1::text || '-01')::timestamp + interval '1 month', anchor, zone) AS ends FROM finance.contract) c
         WHERE c.terms <> '' AND c.effective < c.ends AND COALESCE(c.until, 'infinity') > c.starts AND c.effective IS DISTINCT FROM c.until
           AND NOT finance.period_is_closed($1::text)
           AND NOT EXISTS (SELECT FROM finance.rating_in_force f WHERE f.tenant = c.tenant AND f.period = $1::text)) x
 GROUP BY tenant
 ORDER BY 1;
