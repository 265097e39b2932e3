-- The charges of a rating, as they are stored.
-- $1 bigint rating
SELECT model, service_tier, meter_id, priced_as, price_book_version_id, rule, tier, price, per, quantity, amount, currency,
       (extract(epoch FROM first_interval) * 1000000)::bigint, (extract(epoch FROM last_interval) * 1000000)::bigint
  FROM finance.charge WHERE rating_id = $1::bigint ORDER BY ordinal;
