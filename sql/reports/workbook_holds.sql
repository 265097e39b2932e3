-- A page of the holds in force of a period, by tenant and ordinal.
-- $1 text     period, YYYY-MM
-- $2 text     tenant, '' for all
-- $3 text     tenant of the last row seen
-- $4 integer  ordinal of the last row seen
-- $5 integer  rows at most
SELECT r.tenant, h.ordinal, r.period, h.model, h.service_tier, m.name, h.reason,
       trim_scale(h.quantity * power(10::numeric, -m.decimals))::text,
       (extract(epoch FROM h.first_interval) * 1000000)::bigint, (extract(epoch FROM h.last_interval) * 1000000)::bigint
  FROM finance.current_rating r
 CROSS JOIN LATERAL (
	SELECT * FROM finance.hold
	 WHERE rating_id = r.rating_id AND ordinal > CASE WHEN r.tenant = $3::text THEN $4::integer ELSE -1 END
	 ORDER BY ordinal LIMIT $5::integer) h
  JOIN metering.meter m ON m.meter_id = h.meter_id
 WHERE r.period = $1::text AND $2::text IN ('', r.tenant) AND r.tenant >= $3::text
 ORDER BY r.tenant, h.ordinal
 LIMIT $5::integer;
