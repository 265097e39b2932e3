-- What a credit note says in its lines, for its digest.
-- $1 bigint credit note
SELECT line, adjustment_id, amount_minor, credits_minor FROM finance.credit_note_line WHERE credit_note_id = $1::bigint ORDER BY place;
