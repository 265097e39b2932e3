-- Re-rates of a month that are planned, and neither applied nor rejected; with what changes in each currency, where anything does.
-- $1 text period
SELECT 're-rate ' || r.rerate_id || ' (' || r.reason || ', by ' || r.planned_by || ') is neither applied nor rejected', i.difference, i.currency
  FROM finance.rerate r
  LEFT JOIN (SELECT rerate_id, currency, sum(new_amount - old_amount) AS difference FROM finance.rerate_item
              WHERE period = $1::text AND (up <> 0 OR down <> 0) GROUP BY rerate_id, currency) i USING (rerate_id)
 WHERE (r.period = $1::text OR EXISTS (SELECT FROM finance.rerate_item t WHERE t.rerate_id = r.rerate_id AND t.period = $1::text))
   AND NOT EXISTS (SELECT FROM finance.rerate_decision d WHERE d.rerate_id = r.rerate_id AND d.decision IN ('applied', 'rejected'))
 ORDER BY r.rerate_id, i.currency;
