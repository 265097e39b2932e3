-- what was booked is as it was booked: the seal of each posting, credit, adjustment, re-rate and closing recomputed from its row
-- (as finance.seal_row() makes it.)
SELECT 'period_lock' AS what, x.lock_id::text AS which FROM finance.period_lock x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'rerate' AS what, x.rerate_id::text AS which FROM finance.rerate x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'rerate_item' AS what, x.rerate_id || ' place ' || x.place AS which FROM finance.rerate_item x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'rerate_difference' AS what, x.rerate_id || ' place ' || x.place || ', ' || x.model || ' ' || x.day AS which FROM finance.rerate_difference x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'rerate_decision' AS what, x.rerate_id || ' ' || x.decision AS which FROM finance.rerate_decision x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'price_substitution' AS what, x.substitution_id::text AS which FROM finance.price_substitution x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'adjustment' AS what, x.adjustment_id::text AS which FROM finance.adjustment x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'adjustment_dropped' AS what, x.adjustment_id::text AS which FROM finance.adjustment_dropped x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'credit_grant' AS what, x.grant_id::text AS which FROM finance.credit_grant x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'credit_entry' AS what, x.grant_id || ' place ' || x.place AS which FROM finance.credit_entry x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'credit_use_line' AS what, x.entry_id || ' line ' || x.line AS which FROM finance.credit_use_line x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'credit_note' AS what, x.number AS which FROM finance.credit_note x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'credit_note_line' AS what, x.credit_note_id || ' place ' || x.place AS which FROM finance.credit_note_line x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'payment' AS what, x.reference AS which FROM finance.payment x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'write_off' AS what, x.invoice_id::text AS which FROM finance.write_off x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'balance_entry' AS what, x.tenant || ' place ' || x.place AS which FROM finance.balance_entry x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'))
UNION ALL
SELECT 'support_event' AS what, x.request_id AS which FROM finance.support_event x
 WHERE x.sealed IS DISTINCT FROM sha256(convert_to((jsonb_strip_nulls(to_jsonb(x)) - 'sealed')::text, 'UTF8'));
