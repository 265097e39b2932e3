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
	ADD COLUMN contract_id bigint,                     -- whose terms had a part in it
	ALTER COLUMN price_book_version_id DROP NOT NULL;

ALTER TABLE finance.invoice_line
	ADD COLUMN kind   text NOT NULL DEFAULT 'usage',
	ADD COLUMN billed numeric(38,0),
	ADD COLUMN detail text NOT NULL DEFAULT '';

-- The parents of charges and holds are a few rows that never go away (append-only); a foreign key would look for them row by row, which
-- takes longer than everything else about a charge.  This looks once for all rows of a statement.
ALTER TABLE finance.charge DROP CONSTRAINT charge_rating_id_fkey, DROP CONSTRAINT charge_price_book_version_id_fkey;
ALTER TABLE finance.hold DROP CONSTRAINT hold_rating_id_fkey;
CREATE FUNCTION finance.refuse_orphan_charges() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM (SELECT DISTINCT rating_id FROM added) a
	            WHERE NOT EXISTS (SELECT FROM finance.rating r WHERE r.rating_id = a.rating_id))
	OR EXISTS (SELECT FROM (SELECT DISTINCT price_book_version_id FROM added WHERE price_book_version_id IS NOT NULL) a
	            WHERE NOT EXISTS (SELECT FROM finance.price_book_version v WHERE v.price_book_version_id = a.price_book_version_id))
	OR EXISTS (SELECT FROM (SELECT DISTINCT contract_id FROM added WHERE contract_id IS NOT NULL) a
	            WHERE NOT EXISTS (SELECT FROM finance.contract c WHERE c.contract_id = a.contract_id)) THEN
		RAISE EXCEPTION 'a charge has no rating, or its price book version or contract is not there' USING ERRCODE = 'foreign_key_violation';
	END IF;
	RETURN NULL;
END $$;
CREATE FUNCTION finance.refuse_orphan_holds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM (SELECT DISTINCT rating_id FROM added) a
	            WHERE NOT EXISTS (SELECT FROM finance.rating r WHERE r.rating_id = a.rating_id)) THEN
		RAISE EXCEPTION 'a hold has no rating' USING ERRCODE = 'foreign_key_violation';
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER has_parents AFTER INSERT ON finance.charge REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION finance.refuse_orphan_charges();
CREATE TRIGGER has_parents AFTER INSERT ON finance.hold REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION finance.refuse_orphan_holds();
ALTER TABLE finance.charge ENABLE ALWAYS TRIGGER has_parents;
ALTER TABLE finance.hold ENABLE ALWAYS TRIGGER has_parents;
