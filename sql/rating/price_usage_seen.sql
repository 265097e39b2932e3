-- What tenants whose contract names a price book have used, in all that rules can be chosen by.
-- $1 text the book, as "book" or as "override" of a contract
-- $2 timestamptz until when
-- $3 integer how many months before
WITH terms AS (
	SELECT tenant, book, override, effective,
	       LEAST(until, lead(effective, 1, 'infinity') OVER (PARTITION BY tenant ORDER BY effective)) AS ends
	  FROM finance.contract
)
SELECT t.override, t.book, s.model, s.base_model, s.service_tier, s.adapter_kind, s.adapter, s.provider, s.operation, s.region, s.speed,
       s.deployment, s.project, s.api_key, k.engine, k.tags, q.meter_id, sum(q.quantity)
  FROM terms t
  JOIN metering.usage_series s ON s.tenant = t.tenant
  JOIN metering.interval_quantity q ON q.series_id = s.series_id AND q.interval_start >= t.effective AND q.interval_start < t.ends
  JOIN metering.request_class k ON k.class_id = q.class_id
 WHERE (t.book = $1::text OR t.override = $1::text) AND q.interval_start <= $2::timestamptz
   AND q.interval_start >= $2::timestamptz - make_interval(months => $3::integer)
 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
HAVING sum(q.quantity) <> 0
 ORDER BY 3, 5, 4, 17, 1, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16;
