-- The charges of a rating, as they are stored.
-- $1 bigint rating
SELECT model, service_tier, meter_id, priced_as, COALESCE(price_book_version_id, 0), rule, tier, price, per, quantity, amount, currency,
       (extract(epoch FROM first_interval) * 1000000)::bigint, (extract(epoch FROM last_interval) * 1000000)::bigint,
       kind, COALESCE(billed, quantity), detail, counter, COALESCE(contract_id, 0)
  FROM finance.charge WHERE rating_id = $1::bigint ORDER BY ordinal;
