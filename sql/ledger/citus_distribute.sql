-- Spreads the ledger's rows over the machines of a Citus cluster; does nothing where they are spread already.
-- $1 integer shards
SELECT d.is_new, d.shards_made, d.machines, d.ledger_rows FROM metering.distribute_ledger($1::integer) d;
