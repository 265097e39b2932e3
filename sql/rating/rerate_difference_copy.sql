-- Differences of a re-rate, as text.
COPY finance.rerate_difference (rerate_id, place, model, service_tier, meter_id, kind, day, old_quantity, new_quantity, old_amount,
	new_amount) FROM STDIN;
