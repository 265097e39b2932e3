-- Usage on hold, by reason.
SELECT reason, count(*), count(DISTINCT (tenant, period)), count(*) FILTER (WHERE worth IS NULL) FROM finance.held GROUP BY reason ORDER BY reason COLLATE "C";
