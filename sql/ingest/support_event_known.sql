-- Whether the ledger has an event.
-- $1 uuid its identity, hexadecimal
SELECT EXISTS (SELECT FROM metering.usage_key WHERE event_id = $1::uuid);
