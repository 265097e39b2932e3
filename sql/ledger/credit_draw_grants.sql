-- Grants with a balance that the issuer of an invoice gave its tenant, in its currency.
-- $1 bigint invoice
SELECT g.grant_id, g.kind = 'prepaid', g.priority, (extract(epoch FROM g.starts) * 1000000)::bigint, (extract(epoch FROM g.expires) * 1000000)::bigint,
       e.balance_after, g.model_pattern, array_to_string(g.meters, ' ')
  FROM finance.invoice v
  JOIN finance.credit_grant g ON g.tenant = v.tenant AND g.issuer = v.issuer AND g.currency = v.currency
 CROSS JOIN LATERAL (SELECT balance_after FROM finance.credit_entry WHERE grant_id = g.grant_id ORDER BY place DESC LIMIT 1) e
 WHERE v.invoice_id = $1::bigint AND e.balance_after > 0
 ORDER BY g.grant_id;
