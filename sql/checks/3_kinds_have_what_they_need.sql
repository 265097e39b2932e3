-- each charge in force has what its kind needs: usage its meter and book, terms their contract
-- (quantities are metered by usage alone, what is free has no price, and what a contract adds is of no model)
SELECT f.tenant, f.period, h.ordinal, h.kind, h.meter_id AS meter, h.price_book_version_id AS version, h.contract_id AS contract, h.quantity,
       h.billed, h.price
  FROM finance.rating_in_force f
  JOIN finance.charge h USING (rating_id)
  LEFT JOIN finance.contract c USING (contract_id)
 WHERE NOT CASE
	WHEN h.kind = 'usage' THEN h.meter_id <> 0 AND h.price_book_version_id IS NOT NULL AND h.price >= 0
	WHEN h.kind = 'tier_fee' THEN h.meter_id <> 0 AND h.price_book_version_id IS NOT NULL AND h.quantity = 0 AND h.billed IS NOT NULL
	WHEN h.kind IN ('trial', 'allowance') THEN h.meter_id <> 0 AND h.price = 0 AND h.contract_id IS NOT NULL
	ELSE h.meter_id = 0 AND h.priced_as = 0 AND h.model = '' AND h.service_tier = '' AND h.price_book_version_id IS NULL AND h.rule = 0
	 AND h.quantity = 0 AND h.billed = 1 AND h.per = 1 AND h.contract_id IS NOT NULL AND h.price <> 0 AND h.detail <> ''
	 AND (h.kind = 'overage' OR (h.price < 0) = (h.kind IN ('discount', 'maximum')))
	END
    OR (h.contract_id IS NOT NULL AND c.tenant IS DISTINCT FROM f.tenant);
