-- Contracts of all tenants.
SELECT tenant, name, issuer, currency, zone, anchor, COALESCE(grace_hours::text, ''), book, override,
       to_char(effective, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), COALESCE(to_char(until, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ''),
       CASE WHEN tax_name <> '' THEN tax_name || ' ' || trim_scale(tax_percent) || ' %' ELSE '' END, terms
  FROM finance.contract ORDER BY tenant, effective;
