-- Makes the ledger's partition of a month where it is missing.
-- $1 text the month, YYYY-MM
SELECT metering.ensure_month(($1::text || '-01')::date);
