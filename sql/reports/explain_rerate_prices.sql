-- The charges of both ratings on what differs in one item of a re-rate, with their prices; the new ones once it is applied.
-- $1 bigint re-rate
-- $2 integer place
-- $3 bigint old rating
-- $4 bigint new rating, NULL for none
SELECT CASE WHEN c.rating_id = $3::bigint THEN 'old' ELSE 'new' END, c.model, c.service_tier, COALESCE(m.name, ''), c.kind, c.tier,
       trim_scale(c.quantity * 10::numeric ^ -COALESCE(m.decimals, 0)), trim_scale(c.price), c.per, trim_scale(c.amount),
       b.book || ' v' || b.version || CASE WHEN c.rule > 0 THEN ' rule ' || c.rule ELSE '' END, c.detail
  FROM finance.charge c
  LEFT JOIN metering.meter m USING (meter_id)
  LEFT JOIN finance.price_book_version b USING (price_book_version_id)
 WHERE c.rating_id IN ($3::bigint, $4::bigint)
   AND EXISTS (SELECT FROM finance.rerate_difference d
                WHERE d.rerate_id = $1::bigint AND d.place = $2::integer
                  AND (d.model, d.service_tier, d.meter_id, d.kind) = (c.model, c.service_tier, c.meter_id, c.kind))
 ORDER BY c.model, c.service_tier, c.meter_id, c.kind, c.rating_id, c.ordinal;
