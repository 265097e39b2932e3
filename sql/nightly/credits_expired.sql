-- What expired of credits at an instant, by currency.
-- $1 timestamptz the instant
SELECT g.currency, g.minor_units, count(*), -sum(e.amount_minor)::bigint
  FROM finance.credit_entry e JOIN finance.credit_grant g USING (grant_id)
 WHERE e.kind = 'expire' AND e.booked_at = $1::timestamptz
 GROUP BY g.currency, g.minor_units ORDER BY g.currency;
