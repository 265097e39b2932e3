-- Takes out of force the ratings over provisional borders of tenants that now have a contract.
-- $1 bigint the newest contract that counts
DELETE FROM finance.rating_in_force f
 USING finance.billing_period p
 WHERE p.provisional AND p.tenant = f.tenant AND p.period = f.period
   AND EXISTS (SELECT FROM finance.contract c WHERE c.tenant = p.tenant AND c.contract_id <= $1::bigint);
