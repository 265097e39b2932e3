-- The oldest month that something was rated in and that is not closed; no row where there is none.
SELECT f.period FROM finance.rating_in_force f
 WHERE NOT EXISTS (SELECT FROM finance.period_state s WHERE s.period = f.period AND s.state <> 'open')
 ORDER BY f.period LIMIT 1;
