-- The charged side: opinions that can be formed again, and documents that cannot.

CREATE SCHEMA finance;

-- Who invoices.  The code is the first part of every document number.
CREATE TABLE finance.issuer (
	issuer text PRIMARY KEY COLLATE "C" CHECK (issuer ~ '^[A-Z0-9]{1,8}$'),
	name   text NOT NULL
);

-- Published price books; a version never changes.
CREATE TABLE finance.price_book_version (
	price_book_version_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	book           text NOT NULL COLLATE "C",
	version        integer NOT NULL,
	currency       text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
	effective      timestamptz NOT NULL,
	document       text NOT NULL,     -- the JSON file, byte for byte
	digest         bytea NOT NULL,    -- SHA-256 of the document
	published_at   timestamptz NOT NULL,
	published_by   text NOT NULL,
	UNIQUE (book, version),
	UNIQUE (book, digest),
	UNIQUE (book, effective)
);

-- What a tenant agreed to, from an instant on; a later row replaces an earlier one from its effective instant.
CREATE TABLE finance.contract (
	contract_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	tenant      text NOT NULL COLLATE "C",
	name        text NOT NULL,
	issuer      text NOT NULL REFERENCES finance.issuer,
	currency    text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
	zone        text NOT NULL,        -- IANA; settles where months begin and end
	book        text NOT NULL COLLATE "C",
	effective   timestamptz NOT NULL,
	applied_at  timestamptz NOT NULL,
	applied_by  text NOT NULL,
	UNIQUE (tenant, effective)
);

-- Borders of billing periods, computed once from the zone data of that day and never again.
CREATE TABLE finance.billing_period (
	tenant text NOT NULL COLLATE "C",
	period text NOT NULL COLLATE "C" CHECK (period ~ '^[0-9]{4}-[0-9]{2}$'),
	starts timestamptz NOT NULL,
	ends   timestamptz NOT NULL,      -- not included
	zone   text NOT NULL,
	provisional boolean NOT NULL,     -- of a tenant without a contract, in UTC; made again when there is one
	PRIMARY KEY (tenant, period),
	CHECK (starts < ends)
);
CREATE INDEX billing_period_provisional ON finance.billing_period (tenant) WHERE provisional;

-- Periods that have usage no rating has seen; filled and emptied by rating runs, so that a run costs what is new.
CREATE TABLE finance.rating_due (
	tenant text NOT NULL COLLATE "C",
	period text NOT NULL COLLATE "C",
	PRIMARY KEY (tenant, period)
);

-- One pass: with what it was made, and a digest of what came out.
CREATE TABLE finance.rating_run (
	rating_run    bigint PRIMARY KEY,
	kind          text NOT NULL CHECK (kind IN ('regular')),
	scope_period  text NOT NULL,      -- '' for all
	scope_tenant  text NOT NULL,      -- '' for all
	started_at    timestamptz NOT NULL,
	code_version  text NOT NULL,
	zone_data     text NOT NULL,      -- version of PostgreSQL's zone data, as far as it is known
	batches       bigint NOT NULL,    -- summed by this run
	events        bigint NOT NULL,
	intervals     bigint NOT NULL,
	ratings       bigint NOT NULL,    -- tenant periods priced
	charges       bigint NOT NULL,
	holds         bigint NOT NULL,
	output_digest bytea NOT NULL
);
CREATE SEQUENCE finance.rating_run_id AS bigint OWNED BY finance.rating_run.rating_run;

-- The rating of one tenant's period by one run; the newest one is in force, earlier ones stay to be looked at.
CREATE TABLE finance.rating (
	rating_id     bigint PRIMARY KEY,
	rating_run    bigint NOT NULL REFERENCES finance.rating_run DEFERRABLE INITIALLY DEFERRED,  -- written last, with its totals
	tenant        text NOT NULL COLLATE "C",
	period        text NOT NULL COLLATE "C",
	summed_until  bigint NOT NULL,    -- the newest run whose intervals were read
	priced_until  bigint NOT NULL,    -- the newest run whose intervals could still be charged: less where the period is invoiced
	priced_with   bigint NOT NULL,    -- the newest price book version there was
	contracted_with bigint NOT NULL,  -- the newest contract row there was
	input_digest  bytea NOT NULL,     -- of intervals, contracts and book versions read
	output_digest bytea NOT NULL,     -- of charges and holds
	UNIQUE (tenant, period, rating_run)
);
CREATE SEQUENCE finance.rating_id AS bigint OWNED BY finance.rating.rating_id;

-- Priced quantity.  amount = quantity x price / per (per is in units of the meter), to the 18th decimal, half to even.
CREATE TABLE finance.charge (
	rating_id             bigint NOT NULL REFERENCES finance.rating,
	ordinal               integer NOT NULL,
	model                 text NOT NULL COLLATE "C",
	service_tier          text NOT NULL COLLATE "C",
	meter_id              smallint NOT NULL,
	priced_as             smallint NOT NULL,  -- the meter whose price was used: another one where the book says so
	price_book_version_id bigint NOT NULL REFERENCES finance.price_book_version,
	rule                  integer NOT NULL,   -- from 1, in file order
	tier                  integer NOT NULL,   -- from 1; 0 where the price has no tiers
	price                 numeric(38,18) NOT NULL,
	per                   bigint NOT NULL,
	quantity              numeric(38,0) NOT NULL,
	amount                numeric(38,18) NOT NULL,
	currency              text NOT NULL,
	first_interval        timestamptz NOT NULL,
	last_interval         timestamptz NOT NULL,
	PRIMARY KEY (rating_id, ordinal)
);

-- Metered usage that no rule prices: counted, never dropped.
CREATE TABLE finance.hold (
	rating_id      bigint NOT NULL REFERENCES finance.rating,
	ordinal        integer NOT NULL,
	model          text NOT NULL COLLATE "C",
	service_tier   text NOT NULL COLLATE "C",
	meter_id       smallint NOT NULL,
	reason         text NOT NULL,
	quantity       numeric(38,0) NOT NULL,
	first_interval timestamptz NOT NULL,
	last_interval  timestamptz NOT NULL,
	PRIMARY KEY (rating_id, ordinal)
);

-- Which rating of a tenant's period is in force: the newest.
CREATE TABLE finance.rating_in_force (
	tenant    text NOT NULL COLLATE "C",
	period    text NOT NULL COLLATE "C",
	rating_id bigint NOT NULL REFERENCES finance.rating,
	PRIMARY KEY (tenant, period)
);
CREATE VIEW finance.current_rating AS
	SELECT r.* FROM finance.rating_in_force f JOIN finance.rating r USING (rating_id);

-- Documents.  A draft is thrown away and made again; a final one is never touched.
CREATE TABLE finance.invoice (
	invoice_id     bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	status         text NOT NULL CHECK (status IN ('draft', 'final')),
	tenant         text NOT NULL COLLATE "C",
	period         text NOT NULL COLLATE "C",
	rating_id      bigint NOT NULL REFERENCES finance.rating,
	issuer         text NOT NULL COLLATE "C",
	issuer_name    text NOT NULL,     -- parties are copied in: a document does not change with its address book
	tenant_name    text NOT NULL,
	currency       text NOT NULL,
	minor_units    smallint NOT NULL,
	zone           text NOT NULL,
	starts         timestamptz NOT NULL,
	ends           timestamptz NOT NULL,
	total_minor    bigint NOT NULL,
	exact_total    numeric(38,18) NOT NULL,
	drafted_at     timestamptz NOT NULL,
	drafted_by     text NOT NULL,
	number         text UNIQUE COLLATE "C",
	series_year    integer,
	series_number  bigint,
	issued_on      date,
	finalized_at   timestamptz,
	finalized_by   text,
	content_digest bytea,
	CHECK ((status = 'final') = (number IS NOT NULL AND series_year IS NOT NULL AND series_number IS NOT NULL
		AND issued_on IS NOT NULL AND finalized_at IS NOT NULL AND finalized_by IS NOT NULL AND content_digest IS NOT NULL)),
	UNIQUE (tenant, period)
);

CREATE TABLE finance.invoice_line (
	invoice_id     bigint NOT NULL REFERENCES finance.invoice ON DELETE CASCADE,
	line           integer NOT NULL CHECK (line >= 1),
	charge_ordinal integer NOT NULL,
	model          text NOT NULL,
	service_tier   text NOT NULL,
	meter          text NOT NULL,
	priced_as      text NOT NULL,
	tier           integer NOT NULL,
	price          numeric(38,18) NOT NULL,
	per            bigint NOT NULL,
	quantity       numeric(38,0) NOT NULL,
	decimals       smallint NOT NULL, -- of the quantity
	exact_amount   numeric(38,18) NOT NULL,
	amount_minor   bigint NOT NULL,
	book           text NOT NULL,
	book_version   integer NOT NULL,
	rule           integer NOT NULL,
	PRIMARY KEY (invoice_id, line)
);

-- The next number of a series: a row, not a sequence, because a number must not be lost with a rolled back transaction.
CREATE TABLE finance.document_counter (
	issuer      text NOT NULL REFERENCES finance.issuer,
	series      text NOT NULL,
	year        integer NOT NULL,
	next_number bigint NOT NULL CHECK (next_number >= 1),
	last_date   date NOT NULL,
	PRIMARY KEY (issuer, series, year)
);

CREATE TABLE finance.audit_log (
	audit_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	at       timestamptz NOT NULL,
	who      text NOT NULL,
	action   text NOT NULL,
	subject  text NOT NULL,
	reason   text NOT NULL
);

CREATE FUNCTION finance.refuse_final_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.status = 'final' THEN
		RAISE EXCEPTION 'invoice % is final: % is refused', OLD.number, TG_OP
			USING ERRCODE = 'restrict_violation', HINT = 'A final invoice is put right by a credit note, never changed.';
	END IF;
	RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER final_is_final BEFORE UPDATE OR DELETE ON finance.invoice FOR EACH ROW EXECUTE FUNCTION finance.refuse_final_invoice();
ALTER TABLE finance.invoice ENABLE ALWAYS TRIGGER final_is_final;

CREATE FUNCTION finance.refuse_final_line() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	final_number text;
BEGIN
	SELECT number INTO final_number FROM finance.invoice
	 WHERE status = 'final' AND invoice_id IN (CASE WHEN TG_OP <> 'INSERT' THEN OLD.invoice_id END, CASE WHEN TG_OP <> 'DELETE' THEN NEW.invoice_id END);
	IF FOUND THEN
		RAISE EXCEPTION 'invoice % is final: % of a line is refused', final_number, TG_OP
			USING ERRCODE = 'restrict_violation', HINT = 'A final invoice is put right by a credit note, never changed.';
	END IF;
	RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER final_is_final BEFORE INSERT OR UPDATE OR DELETE ON finance.invoice_line FOR EACH ROW EXECUTE FUNCTION finance.refuse_final_line();
ALTER TABLE finance.invoice_line ENABLE ALWAYS TRIGGER final_is_final;

DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['price_book_version', 'contract', 'rating_run', 'rating', 'charge', 'hold', 'audit_log'] LOOP
		EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance.%I FOR EACH ROW EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE finance.%I ENABLE ALWAYS TRIGGER append_only', name);
	END LOOP;
	FOREACH name IN ARRAY ARRAY['price_book_version', 'contract', 'billing_period', 'rating_run', 'rating', 'charge', 'hold', 'audit_log',
		'invoice', 'invoice_line', 'document_counter'] LOOP
		EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON finance.%I FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE finance.%I ENABLE ALWAYS TRIGGER append_only_truncate', name);
	END LOOP;
END $$;

CREATE FUNCTION finance.refuse_moved_period() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NOT OLD.provisional THEN
		RAISE EXCEPTION 'the borders of % of % are settled: % is refused', OLD.period, OLD.tenant, TG_OP USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER borders_are_settled BEFORE UPDATE OR DELETE ON finance.billing_period FOR EACH ROW EXECUTE FUNCTION finance.refuse_moved_period();
ALTER TABLE finance.billing_period ENABLE ALWAYS TRIGGER borders_are_settled;
