-- Whether the ledger's rows are spread over several machines.
SELECT metering.ledger_is_distributed();
