-- Ratings of tenants' periods, as text.
COPY finance.rating (rating_id, rating_run, tenant, period, summed_until, priced_until, priced_with, contracted_with, input_digest,
	output_digest, engine, substituted_with) FROM STDIN;
