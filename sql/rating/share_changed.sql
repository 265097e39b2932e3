-- Tenants of whom something is there now that a rating was made without: usage summed by later runs, later ratings, later substitutions.
-- $1 bigint the newest run then
-- $2 bigint the newest rating then
-- $3 bigint the newest substitution then
SELECT s.tenant
  FROM (SELECT series_id FROM metering.usage_interval WHERE rating_run > $1::bigint
        UNION SELECT series_id FROM metering.usage_interval_extra WHERE rating_run > $1::bigint) i
  JOIN metering.usage_series s USING (series_id)
UNION SELECT tenant FROM finance.rating WHERE rating_id > $2::bigint
UNION SELECT tenant FROM finance.price_substitution WHERE substitution_id > $3::bigint;
