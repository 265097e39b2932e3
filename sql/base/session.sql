-- Settings that every connection of tollbook runs under; last which database this is: system, timeline and database.  (The one for Citus lets a
-- distributed ledger have the triggers that keep it from being changed; elsewhere it says nothing.)
SELECT set_config('search_path', 'pg_catalog', false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
                  ELSE current_setting('synchronous_commit') END, false),
       set_config('TimeZone', 'UTC', false),
       set_config('DateStyle', 'ISO, YMD', false),
       set_config('IntervalStyle', 'postgres', false),
       set_config('bytea_output', 'hex', false),
       set_config('statement_timeout', '0', false),
       set_config('lock_timeout', '5min', false),
       set_config('idle_in_transaction_session_timeout', '30min', false),
       set_config('jit', 'off', false),
       set_config('citus.enable_unsafe_triggers', 'on', false),
       set_config('tcp_keepalives_idle', '10', false),
       set_config('tcp_keepalives_interval', '5', false),
       set_config('tcp_keepalives_count', '4', false),
       (SELECT system_identifier FROM pg_control_system()) || '/' ||
       CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END || '/' ||
       (SELECT oid FROM pg_database WHERE datname = current_database());
