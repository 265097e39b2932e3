-- Contracts of all tenants.
SELECT tenant, name, issuer, currency, zone, book, to_char(effective, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
  FROM finance.contract ORDER BY tenant, effective;
