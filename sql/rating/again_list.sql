-- The periods to rate again, in full whether they are closed or not: those of a month that have a rating, within a scope, and the later
-- ones of their tenants, as far as these are rated and something is carried over into them.
-- $1 text period
-- $2 text tenant, '' for all
-- $3 text model that is charged or held in it, '' for any
WITH scope AS (
	SELECT r.tenant FROM finance.current_rating r
	 WHERE r.period = $1::text AND ($2::text = '' OR r.tenant = $2::text)
	   AND ($3::text = '' OR EXISTS (SELECT FROM finance.charge h WHERE h.rating_id = r.rating_id AND h.model = $3::text)
	                      OR EXISTS (SELECT FROM finance.hold h WHERE h.rating_id = r.rating_id AND h.model = $3::text))
)
SELECT r.tenant, r.period, (extract(epoch FROM p.starts) * 1000000)::bigint, (extract(epoch FROM p.ends) * 1000000)::bigint,
       NULL::text, NULL::bigint, 0::bigint
  FROM scope
  JOIN finance.current_rating r USING (tenant)
  JOIN finance.billing_period p ON p.tenant = r.tenant AND p.period = r.period AND NOT p.provisional
 WHERE r.period = $1::text
    OR (r.period > $1::text
        AND (EXISTS (SELECT FROM finance.charge h WHERE h.rating_id = r.rating_id AND h.counter <> '')
             OR EXISTS (SELECT FROM finance.contract c WHERE c.tenant = r.tenant AND position('"commitment":' IN c.terms) > 0)))
 ORDER BY r.period, r.tenant;
