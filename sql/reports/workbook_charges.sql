-- A page of the charges in force of a period, by tenant and ordinal; of a contract's own charges only what they have.
-- $1 text     period, YYYY-MM
-- $2 text     tenant, '' for all
-- $3 text     tenant of the last row seen
-- $4 integer  ordinal of the last row seen
-- $5 integer  rows at most
SELECT r.tenant, c.ordinal, r.period, c.kind, c.model, c.service_tier, COALESCE(m.name, ''), COALESCE(p.name, ''),
       CASE WHEN c.meter_id <> 0 THEN c.tier END,
       CASE WHEN c.meter_id <> 0 THEN trim_scale(c.quantity * power(10::numeric, -m.decimals))::text END,
       trim_scale(COALESCE(c.billed, c.quantity) * power(10::numeric, -COALESCE(m.decimals, 0)))::text, trim_scale(c.price)::text, c.per,
       trim_scale(c.amount)::text, c.currency, b.book, b.version, CASE WHEN b.book IS NOT NULL THEN c.rule END, c.detail
  FROM finance.current_rating r
 CROSS JOIN LATERAL (
	SELECT * FROM finance.charge
	 WHERE rating_id = r.rating_id AND ordinal > CASE WHEN r.tenant = $3::text THEN $4::integer ELSE -1 END
	 ORDER BY ordinal LIMIT $5::integer) c
  LEFT JOIN metering.meter m ON m.meter_id = c.meter_id
  LEFT JOIN metering.meter p ON p.meter_id = c.priced_as
  LEFT JOIN finance.price_book_version b USING (price_book_version_id)
 WHERE r.period = $1::text AND $2::text IN ('', r.tenant) AND r.tenant >= $3::text
 ORDER BY r.tenant, c.ordinal
 LIMIT $5::integer;
