-- Takes the rows that files stand for out of a month of the ledger; gives how many others stay.
-- $1 date the month
SELECT metering.month_replace($1::date);
