-- Keeps rows from being taken out of the ledger until the transaction ends.  Before the first look of a transaction that has one snapshot: what
-- it sees of archives is then what it sees of rows.
LOCK TABLE metering.usage_event IN ACCESS SHARE MODE;
