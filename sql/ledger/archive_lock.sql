-- Keeps everybody out of the ledger until the transaction ends.
-- $1 date the month that is to be taken out
SELECT metering.month_lock($1::date);
