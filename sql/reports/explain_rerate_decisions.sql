-- Who decided what about a re-rate.
-- $1 bigint re-rate
SELECT decision, who, to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), note, rating_run
  FROM finance.rerate_decision
 WHERE rerate_id = $1::bigint
 ORDER BY at, decision = 'applied';
