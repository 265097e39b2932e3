-- Charges, in binary.
COPY finance.charge (rating_id, ordinal, model, service_tier, meter_id, priced_as, price_book_version_id, rule, tier, price, per,
	quantity, amount, currency, first_interval, last_interval, kind, billed, detail, counter, contract_id) FROM STDIN (FORMAT binary);
