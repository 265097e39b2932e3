-- Whether the ledger has an event.
-- $1 uuid its identity, hexadecimal
SELECT EXISTS (SELECT FROM metering.usage_keys(ARRAY[$1::uuid]));
