-- Holds in force.
-- $1 text period, '' for all
-- $2 text tenant, '' for all
SELECT f.tenant, f.period, h.model, h.service_tier, h.meter_id, h.reason, h.quantity
  FROM finance.rating_in_force f
  JOIN finance.hold h USING (rating_id)
 WHERE ($1::text = '' OR f.period = $1::text) AND ($2::text = '' OR f.tenant = $2::text)
 ORDER BY f.tenant, f.period, h.ordinal;
