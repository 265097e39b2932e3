-- Grants with a balance that the issuers of invoices gave their tenants, in their currencies; first, which of the list each may pay.
-- $1 bigint[] invoices
SELECT o.place, g.grant_id, g.kind = 'prepaid', g.priority, (extract(epoch FROM g.starts) * 1000000)::bigint, (extract(epoch FROM g.expires) * 1000000)::bigint,
       e.balance_after, g.model_pattern, array_to_string(g.meters, ' ')
  FROM unnest($1::bigint[]) WITH ORDINALITY AS o (invoice_id, place)
  JOIN finance.invoice v ON v.invoice_id = o.invoice_id
  JOIN finance.credit_grant g ON g.tenant = v.tenant AND g.issuer = v.issuer AND g.currency = v.currency
 CROSS JOIN LATERAL (SELECT balance_after FROM finance.credit_entry WHERE grant_id = g.grant_id ORDER BY place DESC LIMIT 1) e
 WHERE e.balance_after > 0
 ORDER BY o.place, g.grant_id;
