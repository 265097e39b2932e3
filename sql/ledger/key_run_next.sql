-- The number of a run about to be written; numbers may have gaps.
SELECT nextval('metering.key_run_id');
