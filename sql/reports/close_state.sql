-- The state of a month; who asked to have it reopened, where that is the last thing that was done; whether anybody is in finance.
-- $1 text period
SELECT COALESCE((SELECT s.state FROM finance.period_state s WHERE s.period = $1::text), 'open'),
       (SELECT l.who FROM (SELECT * FROM finance.period_lock WHERE period = $1::text ORDER BY lock_id DESC LIMIT 1) l
         WHERE l.state = 'reopen_asked'),
       EXISTS (SELECT FROM finance.role_member WHERE role = 'finance');
