-- Whether this transaction is now the only one that merges runs of the register.
SELECT pg_try_advisory_xact_lock(hashtextextended('tollbook.register_merge', 0));
