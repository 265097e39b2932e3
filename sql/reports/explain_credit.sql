-- A grant, with its balance.
-- $1 bigint grant
SELECT g.grant_id, g.tenant, g.issuer, g.kind, g.currency, round(g.amount_minor * 10::numeric ^ -g.minor_units, g.minor_units),
       round(l.balance_after * 10::numeric ^ -g.minor_units, g.minor_units),
       to_char(g.starts, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(g.expires, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), g.priority, g.model_pattern,
       array_to_string(g.meters, ', '), array_to_json(g.meters), g.reason, r.meaning, g.ticket, g.note,
       to_char(g.granted_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), g.granted_by, g.request_id,
       (SELECT sum(e.amount_minor) = l.balance_after FROM finance.credit_entry e WHERE e.grant_id = g.grant_id)
  FROM finance.credit_grant g
  JOIN finance.reason r USING (reason)
  JOIN LATERAL (SELECT balance_after FROM finance.credit_entry e WHERE e.grant_id = g.grant_id ORDER BY place DESC LIMIT 1) l ON true
 WHERE g.grant_id = $1::bigint;
