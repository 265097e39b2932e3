-- Where a tenant's contract row belongs, and what may stand against it; see check_row() in rating/tenant_apply.c.
-- $1 text tenant
-- $2 text name
-- $3 text currency
-- $4 text zone, known to be one (zone_known.sql)
-- $5 text book
-- $6 text issuer
-- $7 text effective: YYYY-MM-DD for midnight in the zone, or RFC 3339
-- $8 text book asked first, empty for none
-- $9 text terms, compact JSON, empty for none
-- $10 text when it ends, as effective; NULL where it goes on
-- $11 text name of the tax, empty for none
-- $12 numeric percent of it
-- $13 smallint anchor, the day of the month that periods begin on
-- $14 integer hours of grace, NULL: as configured
WITH stated AS (
	SELECT CASE WHEN length($7::text) = 10 THEN ($7::text || ' 00:00:00')::timestamp AT TIME ZONE $4::text
	            ELSE ($7::text)::timestamptz END AS effective,
	       CASE WHEN length($10::text) = 10 THEN ($10::text || ' 00:00:00')::timestamp AT TIME ZONE $4::text
	            ELSE ($10::text)::timestamptz END AS until
), before AS (
	SELECT * FROM finance.contract WHERE tenant = $1::text
)
SELECT to_char(s.effective, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(s.until, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), s.until < s.effective,
       EXISTS (SELECT FROM before b WHERE b.effective = s.effective AND b.name = $2::text AND b.currency = $3::text
                  AND b.zone = $4::text AND b.book = $5::text AND b.issuer = $6::text
                  AND b.override = $8::text AND b.terms = $9::text AND b.until IS NOT DISTINCT FROM s.until
                  AND b.tax_name = $11::text AND b.tax_percent = $12::numeric
                  AND b.anchor = $13::smallint AND b.grace_hours IS NOT DISTINCT FROM $14::integer),
       EXISTS (SELECT FROM before b WHERE b.effective = s.effective),
       EXISTS (SELECT FROM before b WHERE b.effective > s.effective),
       (SELECT currency FROM before ORDER BY effective LIMIT 1),
       (SELECT b.zone FROM before b ORDER BY effective LIMIT 1),
       (SELECT b.anchor FROM before b ORDER BY effective LIMIT 1),
       (SELECT v.currency FROM finance.price_book_version v WHERE v.book = $5::text LIMIT 1),
       (SELECT v.currency FROM finance.price_book_version v WHERE v.book = $8::text LIMIT 1)
  FROM stated s;
