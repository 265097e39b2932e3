-- Adds a version of a tenant's contract.  Whoever does has the lock of terms: numbers have no gaps, as in price_book_add.sql.
-- $1 text tenant
-- $2 text name
-- $3 text issuer
-- $4 text currency
-- $5 text zone
-- $6 text book
-- $7 timestamptz effective
-- $8 timestamptz when
-- $9 text by whom
-- $10 text book asked first, empty for none
-- $11 text terms, compact JSON, empty for none
-- $12 timestamptz when it ends, NULL where it goes on
-- $13 text name of the tax, empty for none
-- $14 numeric percent of it
-- $15 smallint anchor, the day of the month that periods begin on
-- $16 integer hours of grace, NULL: as configured
INSERT INTO finance.contract (contract_id, tenant, name, issuer, currency, zone, book, effective, applied_at, applied_by, override, terms, until,
       tax_name, tax_percent, anchor, grace_hours)
OVERRIDING SYSTEM VALUE
SELECT COALESCE(max(contract_id), 0) + 1, $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::timestamptz, $8::timestamptz, $9::text, $10::text,
        $11::text, $12::timestamptz, $13::text, $14::numeric, $15::smallint, $16::integer
  FROM finance.contract;
