-- Carries the charges of a rating of a closed period over to a later one, unchanged.
-- $1 bigint the later rating
-- $2 bigint the rating in force
INSERT INTO finance.charge (rating_id, ordinal, model, service_tier, meter_id, priced_as, price_book_version_id, rule, tier, price, per,
       quantity, amount, currency, first_interval, last_interval, kind, billed, detail, counter, contract_id)
SELECT $1::bigint, ordinal, model, service_tier, meter_id, priced_as, price_book_version_id, rule, tier, price, per,
       quantity, amount, currency, first_interval, last_interval, kind, billed, detail, counter, contract_id
  FROM finance.charge WHERE rating_id = $2::bigint;
