-- What the steps of a night that are done have come to: whether any has findings, whether the books agree.
-- $1 bigint night run
SELECT COALESCE(bool_or(findings), false), COALESCE(bool_or(differences), false) FROM finance.night_step WHERE night_run = $1::bigint;
