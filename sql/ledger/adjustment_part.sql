-- Books a part of an adjustment apart, about the same thing: it changes what is settled where, not what a period comes to.
-- $1 bigint adjustment
-- $2 bigint amount in minor units
-- $3 timestamptz when
-- $4 text by whom
INSERT INTO finance.adjustment (rerate_id, tenant, original_period, currency, minor_units, kind, model, service_tier, meter_id, old_rating_id,
       new_rating_id, price_book_version_id, quantity, exact_amount, amount_minor, first_interval, last_interval, reason, ticket, outcome,
       booked_at, booked_by)
SELECT rerate_id, tenant, original_period, currency, minor_units, kind, model, service_tier, meter_id, old_rating_id,
       new_rating_id, price_book_version_id, 0, 0, $2::bigint, first_interval, last_interval, reason, ticket, 'next_invoice',
       $3::timestamptz, $4::text
  FROM finance.adjustment WHERE adjustment_id = $1::bigint;
