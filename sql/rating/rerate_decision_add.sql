-- Records that a re-rate was approved, rejected or applied.
-- $1 bigint re-rate
-- $2 text decision
-- $3 text by whom
-- $4 timestamptz when
-- $5 text note
-- $6 bigint run that applied it, else NULL
INSERT INTO finance.rerate_decision (rerate_id, decision, who, at, note, rating_run)
VALUES ($1::bigint, $2::text, $3::text, $4::timestamptz, $5::text, $6::bigint);
