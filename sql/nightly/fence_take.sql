-- A new fence, for this session alone: whoever had one writes nothing more.
UPDATE finance.night_fence
   SET fence = fence + 1, backend = pg_backend_pid(),
       backend_start = (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())
RETURNING fence;
