-- A tenant's contract, version by version.
-- $1 text tenant
SELECT contract_id, (extract(epoch FROM effective) * 1000000)::bigint, currency, zone, book, override, terms
  FROM finance.contract WHERE tenant = $1::text ORDER BY effective;
