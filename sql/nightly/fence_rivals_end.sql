-- Ends the session that wrote as the nightly job before, where it is there still: it has lost the job's lock, and what it has open is in the way.
SELECT pg_terminate_backend(a.pid) FROM finance.night_fence f
  JOIN pg_stat_activity a ON a.pid = f.backend AND a.backend_start = f.backend_start
 WHERE a.pid <> pg_backend_pid();
