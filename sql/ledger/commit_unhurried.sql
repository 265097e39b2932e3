-- The commit of this transaction does not wait for the disk; a later one that does waits for both.
SELECT set_config('synchronous_commit', 'off', true);
