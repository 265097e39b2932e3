-- The adjustments of a tenant's period on the models, service tiers and meters of events, as an array.
-- $1 uuid[] the events
-- $2 text tenant
-- $3 text period
SELECT COALESCE(array_agg(DISTINCT a.adjustment_id), '{}')::text
  FROM finance.adjustment a
  JOIN metering.meter m USING (meter_id)
 CROSS JOIN metering.booked_rows($1::uuid[]) e
  JOIN metering.usage_series u USING (series_id)
 WHERE a.tenant = $2::text AND a.original_period = $3::text AND a.model = u.model AND a.service_tier = u.service_tier
   AND (to_jsonb(e) ->> m.name IS NOT NULL OR EXISTS (SELECT FROM generate_series(1, cardinality(e.extra), 2) i WHERE e.extra[i] = a.meter_id));
