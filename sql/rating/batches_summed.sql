-- Notes that a run has summed these batches.
-- $1 bigint[] batches
-- $2 bigint run
INSERT INTO metering.summed_batch (batch_id, rating_run)
SELECT b, $2::bigint FROM unnest($1::bigint[]) AS b;
