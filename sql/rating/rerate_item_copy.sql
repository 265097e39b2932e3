-- Tenants' periods of a re-rate, as text.
COPY finance.rerate_item (rerate_id, place, tenant, period, closed, document, currency, minor_units, old_rating_id, output_digest,
	old_amount, new_amount, up, down) FROM STDIN;
