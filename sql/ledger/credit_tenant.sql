-- The contract that a credit is granted under: the one in force, else the first that there will be.
-- $1 text tenant
-- $2 timestamptz now
SELECT issuer, currency, zone
  FROM finance.contract
 WHERE tenant = $1::text
 ORDER BY effective <= $2::timestamptz DESC, CASE WHEN effective <= $2::timestamptz THEN effective END DESC, effective
 LIMIT 1;
