-- A step in the life of a month; a trigger refuses one out of order.
-- $1 text period
-- $2 text state: soft, hard, reopen_asked or open
-- $3 text reason
-- $4 text note
-- $5 text what was accepted
-- $6 text who
-- $7 timestamptz when
INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at)
VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::timestamptz);
