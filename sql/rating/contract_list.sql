-- Contracts of all tenants.
SELECT tenant, name, issuer, currency, zone, book, override, to_char(effective, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), terms
  FROM finance.contract ORDER BY tenant, effective;
