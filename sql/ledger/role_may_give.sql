-- What a person may give away in a currency, and has given that day (UTC) already: whether anybody has a role; whether this person has
-- one, and one without limit; the widest limits for one gift and for a day; and the sum of the day.  What a re-rate gave was approved as such,
-- and prepaid credits were bought: neither is given away.
-- $1 text who
-- $2 text the currency
-- $3 timestamptz now
WITH mine AS (
	SELECT r.role, r.unlimited FROM finance.role_member m JOIN finance.role r USING (role) WHERE m.who = $1::text
), widest AS (
	SELECT max(l.per_grant_minor) AS per_grant, max(l.per_day_minor) AS per_day
	  FROM mine JOIN finance.role_limit l USING (role) WHERE l.currency = $2::text
), day AS (
	SELECT date_trunc('day', $3::timestamptz, 'UTC') AS begins
)
SELECT EXISTS (SELECT FROM finance.role),
       EXISTS (SELECT FROM mine),
       COALESCE((SELECT bool_or(unlimited) FROM mine), false),
       COALESCE(widest.per_grant, 0),
       COALESCE(widest.per_day, 0),
       COALESCE((SELECT sum(g.amount_minor) FROM finance.credit_grant g
                  WHERE g.granted_by = $1::text AND g.currency = $2::text AND g.kind <> 'prepaid'
                    AND g.granted_at >= day.begins AND g.granted_at < day.begins + interval '24 hours'), 0)
     + COALESCE((SELECT sum(n.total_minor) FROM finance.credit_note n
                  WHERE n.issued_by = $1::text AND n.currency = $2::text AND n.scope <> 'adjustments'
                    AND n.issued_at >= day.begins AND n.issued_at < day.begins + interval '24 hours'), 0)
  FROM widest, day;
