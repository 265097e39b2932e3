-- Credits that ended before or with a month and were not expired, though no open period of their tenant can still use them.
-- $1 timestamptz now
-- $2 timestamptz where the month ends last
SELECT 'credit ' || g.grant_id || ' of ' || g.tenant || ' ended at ' ||
       to_char(g.expires, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ': tollbook credit expire',
       round(e.balance_after / 10::numeric ^ g.minor_units, 6), g.currency
  FROM finance.credit_grant g
  JOIN LATERAL (SELECT balance_after FROM finance.credit_entry WHERE grant_id = g.grant_id ORDER BY place DESC LIMIT 1) e ON e.balance_after > 0
 WHERE g.expires <= $1::timestamptz AND g.expires <= $2::timestamptz
   AND NOT EXISTS (SELECT FROM finance.billing_period p
                    WHERE p.tenant = g.tenant AND p.starts < g.expires AND p.ends > g.starts AND NOT finance.period_is_closed(p.period)
                      AND NOT EXISTS (SELECT FROM finance.invoiced_period i WHERE i.tenant = p.tenant AND i.period = p.period))
 ORDER BY g.grant_id;
