-- How many batches may have rows of a month which no part of it has.
-- $1 date the month
SELECT count(*) FROM metering.late_batches($1::date);
