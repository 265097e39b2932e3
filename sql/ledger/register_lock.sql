-- From here to the end of the transaction nobody else adds to the register.  All others wait: for a process that stands still with it, a minute.
SELECT pg_advisory_xact_lock(hashtextextended('tollbook.register', 0)), set_config('idle_in_transaction_session_timeout', '1min', true);
