-- Removes the provisional borders of tenants that now have a contract.
-- $1 bigint the newest contract that counts
DELETE FROM finance.billing_period p
 WHERE p.provisional AND EXISTS (SELECT FROM finance.contract c WHERE c.tenant = p.tenant AND c.contract_id <= $1::bigint);
