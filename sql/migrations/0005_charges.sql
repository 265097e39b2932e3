-- Charges that say more, and contracts that do.

ALTER TABLE finance.contract
	ADD COLUMN override text NOT NULL DEFAULT '' COLLATE "C",  -- a price book that is asked before "book"; '' for none
	ADD COLUMN terms    text NOT NULL DEFAULT '';               -- JSON: trial, fees, allowances, discounts ...; '' for none

-- Which arithmetic made a rating: it can be made again, and compared, by that one alone.
ALTER TABLE finance.rating ADD COLUMN engine smallint NOT NULL DEFAULT 1;
-- What earlier arithmetic rated and is not invoiced yet is rated again.
INSERT INTO finance.rating_due (tenant, period)
SELECT f.tenant, f.period FROM finance.rating_in_force f
 WHERE NOT EXISTS (SELECT FROM finance.invoice v WHERE v.tenant = f.tenant AND v.period = f.period AND v.status = 'final')
ON CONFLICT DO NOTHING;

-- amount = billed x price / per; billed is the quantity, but for packages, which are whole, and what is not usage.
-- Charges of a contract alone (discounts, minimum, fees ...) have no model, no book and meter 0.
ALTER TABLE finance.charge
	ADD COLUMN kind        text NOT NULL DEFAULT 'usage' CHECK (kind IN ('usage', 'trial', 'allowance', 'tier_fee', 'discount',
		'overage', 'true_up', 'minimum', 'maximum', 'fee')),
	ADD COLUMN billed      numeric(38,0),              -- NULL: the quantity
	ADD COLUMN detail      text NOT NULL DEFAULT '',   -- what led to the price, beyond rule and tier; or the arithmetic
	ADD COLUMN counter     text NOT NULL DEFAULT '' COLLATE "C",  -- what its units counted in, where that outlives the period
	ADD COLUMN contract_id bigint REFERENCES finance.contract,    -- whose terms had a part in it
	ALTER COLUMN price_book_version_id DROP NOT NULL;

ALTER TABLE finance.invoice_line
	ADD COLUMN kind   text NOT NULL DEFAULT 'usage',
	ADD COLUMN billed numeric(38,0),
	ADD COLUMN detail text NOT NULL DEFAULT '';
