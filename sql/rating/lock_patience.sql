-- For the rest of this transaction, waits for locks as long as it takes: others that rate shares come first.
SELECT set_config('lock_timeout', '0', true);
