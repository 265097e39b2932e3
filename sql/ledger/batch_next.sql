-- The number of the batch about to be booked; numbers may have gaps, batches of a source are chained by digest.
SELECT nextval('metering.ingest_batch_id');
