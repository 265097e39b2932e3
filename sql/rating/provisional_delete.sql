-- Removes the provisional borders of tenants that now have a contract.
DELETE FROM finance.billing_period p
 WHERE p.provisional AND EXISTS (SELECT FROM finance.contract c WHERE c.tenant = p.tenant);
