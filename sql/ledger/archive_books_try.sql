-- Is nobody rating, or changing what is owed (ledger/books_lock.sql)?  Held until the transaction ends.
SELECT pg_try_advisory_xact_lock(hashtextextended('tollbook.rate', 0));
