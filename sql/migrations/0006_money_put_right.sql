-- What support and finance do after the fact: re-rates, adjustments, credits, credit notes, payments, closed months.  Nothing that is out
-- changes; what is booked here is appended.  Only roles and limits are replaced, and a period that is credited in full loses its invoice.

-- Why somebody did something; used_for says which verbs take it.
CREATE TABLE finance.reason (
	reason   text PRIMARY KEY COLLATE "C" CHECK (reason ~ '^[a-z][a-z0-9_]{1,39}$'),
	meaning  text NOT NULL CHECK (meaning <> ''),
	used_for text[] NOT NULL CHECK (used_for <@ ARRAY['credit', 'revoke', 'credit_note', 'rerate', 'usage', 'write_off', 'close']
		AND cardinality(used_for) > 0)
);
INSERT INTO finance.reason (reason, meaning, used_for) VALUES
	('promotion', 'a campaign or a trial', '{credit}'),
	('prepaid_purchase', 'paid in advance', '{credit}'),
	('goodwill', 'to make up for something, without being owed', '{credit,credit_note}'),
	('service_outage', 'the service did not do what was agreed', '{credit,credit_note}'),
	('price_error', 'a wrong price was published', '{credit,credit_note,rerate}'),
	('metering_error', 'usage was counted wrongly', '{credit,credit_note,rerate,usage}'),
	('late_usage', 'usage came after its period was invoiced', '{rerate}'),
	('contract_change', 'the contract was changed after the fact', '{credit,credit_note,rerate}'),
	('held_usage', 'usage on hold has a price now', '{rerate}'),
	('dispute', 'the customer disputes it', '{credit,credit_note,rerate,usage}'),
	('duplicate_charge', 'charged twice', '{credit,credit_note,usage}'),
	('test_traffic', 'not usage of the customer', '{usage,credit_note}'),
	('wrong_party', 'invoiced to somebody else', '{credit_note}'),
	('granted_in_error', 'should not have been granted', '{revoke}'),
	('contract_ended', 'the contract ended', '{revoke,credit_note}'),
	('bankruptcy', 'the customer is insolvent', '{write_off}'),
	('unreachable', 'the customer cannot be reached', '{write_off}'),
	('not_worth_it', 'collecting costs more than it brings', '{write_off}'),
	('reviewed', 'looked at and accepted as it stands', '{close}'),
	('correction_needed', 'something in a closed month must be put right', '{close}');

-- What people may give away.  Without any role nobody is limited.  Members of "finance" may post in a month that is closed softly.
CREATE TABLE finance.role (
	role      text PRIMARY KEY COLLATE "C" CHECK (role ~ '^[a-z][a-z0-9_]{0,39}$'),
	unlimited boolean NOT NULL
);
CREATE TABLE finance.role_member (
	who  text NOT NULL COLLATE "C",
	role text NOT NULL COLLATE "C" REFERENCES finance.role,
	PRIMARY KEY (who, role)
);
CREATE TABLE finance.role_limit (
	role            text NOT NULL COLLATE "C" REFERENCES finance.role,
	currency        text NOT NULL,
	per_grant_minor bigint NOT NULL CHECK (per_grant_minor >= 0),
	per_day_minor   bigint NOT NULL CHECK (per_day_minor >= 0),
	PRIMARY KEY (role, currency)
);
-- Above which sum of differences a re-rate needs a second person; 0 where a currency has no row.
CREATE TABLE finance.approval_limit (
	currency    text PRIMARY KEY,
	above_minor bigint NOT NULL CHECK (above_minor >= 0)
);

ALTER TABLE finance.audit_log
	ADD COLUMN ticket text NOT NULL DEFAULT '',
	ADD COLUMN before text NOT NULL DEFAULT '',  -- the state it found, and ...
	ADD COLUMN after  text NOT NULL DEFAULT '';  -- ... the one it left

ALTER TABLE finance.contract
	ADD COLUMN until       timestamptz,            -- when the contract ends; usage from then on has no contract.  NULL: it goes on
	ADD COLUMN tax_name    text NOT NULL DEFAULT '',
	ADD COLUMN tax_percent numeric(9,6) NOT NULL DEFAULT 0 CHECK (tax_percent BETWEEN 0 AND 100),
	ADD CHECK (until IS NULL OR until >= effective);

-- --- months that are closed ----------------------------------------------------------------------

-- The newest row of a month but 'reopen_asked' is its state; a month without a row is open.
CREATE TABLE finance.period_lock (
	lock_id  bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	period   text NOT NULL COLLATE "C" CHECK (period ~ '^[0-9]{4}-[0-9]{2}$'),
	state    text NOT NULL CHECK (state IN ('soft', 'hard', 'reopen_asked', 'open')),
	reason   text NOT NULL REFERENCES finance.reason,
	note     text NOT NULL,
	accepted text NOT NULL,       -- what stood against it and was accepted, with the money at stake
	who      text NOT NULL CHECK (who <> ''),
	at       timestamptz NOT NULL
);
CREATE VIEW finance.period_state AS
	SELECT DISTINCT ON (period) period, state, who, at FROM finance.period_lock WHERE state <> 'reopen_asked' ORDER BY period, lock_id DESC;

CREATE FUNCTION finance.period_is_closed(text) RETURNS boolean STABLE LANGUAGE sql AS $$
	SELECT EXISTS (SELECT FROM finance.period_state WHERE period = $1 AND state <> 'open')
$$;

-- open -> soft -> hard; from either, asked by one and done by another, -> open.
CREATE FUNCTION finance.refuse_lock_out_of_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	last  finance.period_lock;
	state text := 'open';
BEGIN
	PERFORM pg_advisory_xact_lock(hashtextextended('tollbook.period_lock', 0));
	SELECT * INTO last FROM finance.period_lock WHERE period = NEW.period ORDER BY lock_id DESC LIMIT 1;
	SELECT s.state INTO state FROM finance.period_state s WHERE s.period = NEW.period;
	state := COALESCE(state, 'open');
	IF (NEW.state = 'soft' AND state <> 'open') OR (NEW.state = 'hard' AND state <> 'soft')
	OR (NEW.state = 'reopen_asked' AND (state = 'open' OR last.state = 'reopen_asked'))
	OR (NEW.state = 'open' AND (state = 'open' OR last.state <> 'reopen_asked')) THEN
		RAISE EXCEPTION '% is %: % is refused', NEW.period, state, NEW.state USING ERRCODE = 'restrict_violation';
	END IF;
	IF NEW.state = 'open' AND last.who = NEW.who THEN
		RAISE EXCEPTION '% asked to reopen %: somebody else must do it', NEW.who, NEW.period USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER in_order BEFORE INSERT ON finance.period_lock FOR EACH ROW EXECUTE FUNCTION finance.refuse_lock_out_of_order();
ALTER TABLE finance.period_lock ENABLE ALWAYS TRIGGER in_order;

-- Money is posted on a day; nobody posts in a month that is closed hard, and finance alone in one that is closed softly.  The lock keeps a
-- closing out until the posting is committed.
CREATE FUNCTION finance.refuse_posting(posted_on date, who text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	closed text;
BEGIN
	PERFORM pg_advisory_xact_lock_shared(hashtextextended('tollbook.period_lock', 0));
	SELECT state INTO closed FROM finance.period_state WHERE period = to_char(posted_on, 'YYYY-MM') AND state <> 'open';
	IF closed = 'hard' OR (closed = 'soft' AND NOT EXISTS (SELECT FROM finance.role_member m WHERE m.who = refuse_posting.who AND m.role = 'finance')) THEN
		RAISE EXCEPTION '% is closed (%): nothing is posted on %', to_char(posted_on, 'YYYY-MM'), closed, posted_on
			USING ERRCODE = 'restrict_violation',
			      HINT = 'Post it today, in the open month; or have the month reopened by two people: tollbook close --reopen.';
	END IF;
END $$;

-- --- re-rates ------------------------------------------------------------------------------------

ALTER TABLE finance.rating_run DROP CONSTRAINT rating_run_kind_check;
ALTER TABLE finance.rating_run ADD CONSTRAINT rating_run_kind_check CHECK (kind IN ('regular', 'rerate'));

CREATE TABLE finance.rerate (
	rerate_id             bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	period                text NOT NULL COLLATE "C",
	tenant                text NOT NULL COLLATE "C",  -- '' for all
	model                 text NOT NULL COLLATE "C",  -- '' for all
	price_book_version_id bigint REFERENCES finance.price_book_version,  -- --prices; NULL: the versions in force
	reason                text NOT NULL REFERENCES finance.reason,
	ticket                text NOT NULL,
	note                  text NOT NULL,
	second_person         boolean NOT NULL,           -- the differences are above the limit: who plans does not approve
	planned_at            timestamptz NOT NULL,
	planned_by            text NOT NULL CHECK (planned_by <> '')
);
-- A tenant's period: from which rating to what.
CREATE TABLE finance.rerate_item (
	rerate_id     bigint NOT NULL REFERENCES finance.rerate,
	place         integer NOT NULL CHECK (place >= 1),
	tenant        text NOT NULL COLLATE "C",
	period        text NOT NULL COLLATE "C",
	closed        boolean NOT NULL,        -- invoiced, or in a month that is closed: differences become adjustments
	document      text NOT NULL,           -- the invoice concerned: its number, 'draft', or '' without one
	currency      text NOT NULL,           -- '' where nothing is charged before and after
	minor_units   smallint NOT NULL,
	old_rating_id bigint NOT NULL REFERENCES finance.rating,  -- in force when it was planned
	output_digest bytea NOT NULL,          -- of what the new rating comes to
	old_amount    numeric(38,18) NOT NULL,
	new_amount    numeric(38,18) NOT NULL,
	up            numeric(38,18) NOT NULL CHECK (up >= 0),      -- sum of the differences above zero, by model, meter and day
	down          numeric(38,18) NOT NULL CHECK (down <= 0),    -- and of those below
	PRIMARY KEY (rerate_id, place),
	CHECK (new_amount - old_amount = up + down)
);
CREATE TABLE finance.rerate_difference (
	rerate_id    bigint NOT NULL,
	place        integer NOT NULL,
	model        text NOT NULL COLLATE "C",   -- '' of a contract's own charges
	service_tier text NOT NULL COLLATE "C",
	meter_id     smallint NOT NULL,           -- 0 of a contract's own charges
	kind         text NOT NULL COLLATE "C",   -- of the charge
	day          date NOT NULL,               -- in the tenant's zone
	old_quantity numeric(38,0) NOT NULL,
	new_quantity numeric(38,0) NOT NULL,
	old_amount   numeric(38,18) NOT NULL,
	new_amount   numeric(38,18) NOT NULL,
	PRIMARY KEY (rerate_id, place, model, service_tier, meter_id, kind, day),
	FOREIGN KEY (rerate_id, place) REFERENCES finance.rerate_item
);
CREATE TABLE finance.rerate_decision (
	rerate_id  bigint NOT NULL REFERENCES finance.rerate,
	decision   text NOT NULL CHECK (decision IN ('approved', 'rejected', 'applied')),
	who        text NOT NULL CHECK (who <> ''),
	at         timestamptz NOT NULL,
	note       text NOT NULL,
	rating_run bigint,     -- that applied it
	PRIMARY KEY (rerate_id, decision),
	CHECK ((decision = 'applied') = (rating_run IS NOT NULL))
);
CREATE FUNCTION finance.refuse_decision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	planned finance.rerate;
BEGIN
	SELECT * INTO STRICT planned FROM finance.rerate WHERE rerate_id = NEW.rerate_id FOR UPDATE;
	IF NEW.decision = 'approved' AND planned.second_person AND planned.planned_by = NEW.who THEN
		RAISE EXCEPTION '% planned re-rate %: somebody else must approve it', NEW.who, NEW.rerate_id USING ERRCODE = 'restrict_violation';
	END IF;
	IF (NEW.decision = 'approved' AND EXISTS (SELECT FROM finance.rerate_decision WHERE rerate_id = NEW.rerate_id AND decision = 'rejected'))
	OR (NEW.decision = 'rejected' AND EXISTS (SELECT FROM finance.rerate_decision WHERE rerate_id = NEW.rerate_id AND decision = 'applied'))
	OR (NEW.decision = 'applied' AND (SELECT count(*) FILTER (WHERE decision = 'approved') <> 1 OR count(*) FILTER (WHERE decision = 'rejected') > 0
	                                    FROM finance.rerate_decision WHERE rerate_id = NEW.rerate_id)) THEN
		RAISE EXCEPTION 're-rate % cannot be % as it stands', NEW.rerate_id, NEW.decision USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER in_order BEFORE INSERT ON finance.rerate_decision FOR EACH ROW EXECUTE FUNCTION finance.refuse_decision();
ALTER TABLE finance.rerate_decision ENABLE ALWAYS TRIGGER in_order;

-- In this period of this tenant this version prices the model (or all, where it is ''), in place of whichever version of its book would.
-- The newest row of a (tenant, period, book, model) counts.
CREATE TABLE finance.price_substitution (
	substitution_id       bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	rerate_id             bigint NOT NULL REFERENCES finance.rerate,
	tenant                text NOT NULL COLLATE "C",
	period                text NOT NULL COLLATE "C",
	model                 text NOT NULL COLLATE "C",
	price_book_version_id bigint NOT NULL REFERENCES finance.price_book_version
);
CREATE INDEX price_substitution_period ON finance.price_substitution (tenant, period);
ALTER TABLE finance.rating ADD COLUMN substituted_with bigint NOT NULL DEFAULT 0;  -- the newest substitution there was

-- An exact amount to be read: with all its decimals, and at least those of the currency.
CREATE FUNCTION finance.amount_shown(amount numeric, minor_units bigint) RETURNS numeric IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE WHEN scale(trim_scale(amount)) < minor_units THEN round(amount, minor_units::integer) ELSE trim_scale(amount) END
$$;

-- --- invoices ------------------------------------------------------------------------------------

ALTER TABLE finance.invoice
	ADD COLUMN kind          text NOT NULL DEFAULT 'period' CHECK (kind IN ('period', 'adjustment')),  -- of a period's charges; of adjustments alone
	ADD COLUMN rating_run    bigint,                     -- that made the charges; NULL: none, or an invoice from before this was kept
	ADD COLUMN credits_minor bigint NOT NULL DEFAULT 0 CHECK (credits_minor >= 0),
	ADD COLUMN tax_name      text NOT NULL DEFAULT '',
	ADD COLUMN tax_percent   numeric(9,6) NOT NULL DEFAULT 0,
	ADD COLUMN tax_minor     bigint NOT NULL DEFAULT 0,
	ALTER COLUMN rating_id DROP NOT NULL,
	ADD CHECK ((kind = 'period') = (rating_id IS NOT NULL)),
	DROP CONSTRAINT invoice_tenant_period_key;
-- total = net - credits + tax; net is the sum of the lines.
ALTER TABLE finance.invoice ADD COLUMN net_minor bigint GENERATED ALWAYS AS (total_minor - tax_minor + credits_minor) STORED;
CREATE INDEX invoice_period ON finance.invoice (tenant, period);
CREATE UNIQUE INDEX invoice_one_draft ON finance.invoice (tenant, period, kind) WHERE status = 'draft';
ALTER TABLE finance.invoice_line ADD COLUMN adjustment_id bigint;
CREATE INDEX invoice_line_adjustment ON finance.invoice_line (adjustment_id) WHERE adjustment_id IS NOT NULL;

-- Which final invoice has a tenant's period; a full credit note takes the row away, and the period is invoiced again.
CREATE TABLE finance.invoiced_period (
	tenant     text NOT NULL COLLATE "C",
	period     text NOT NULL COLLATE "C",
	invoice_id bigint NOT NULL UNIQUE REFERENCES finance.invoice,
	PRIMARY KEY (tenant, period)
);
INSERT INTO finance.invoiced_period SELECT tenant, period, invoice_id FROM finance.invoice WHERE status = 'final';

-- The difference that re-rating a closed period made, by what a line is about.  Summed up: the charges in force of a period, each rounded
-- as a line, = the lines of its invoice + its adjustments.
CREATE TABLE finance.adjustment (
	adjustment_id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	rerate_id             bigint REFERENCES finance.rerate,      -- NULL where it takes another one back
	reverses              bigint UNIQUE REFERENCES finance.adjustment,  -- its period was credited in full, and is invoiced as it is rated now
	tenant                text NOT NULL COLLATE "C",
	original_period       text NOT NULL COLLATE "C",
	currency              text NOT NULL,
	minor_units           smallint NOT NULL,
	kind                  text NOT NULL COLLATE "C",             -- of the charges
	model                 text NOT NULL COLLATE "C",
	service_tier          text NOT NULL COLLATE "C",
	meter_id              smallint NOT NULL,                     -- 0 of a contract's own charges
	old_rating_id         bigint NOT NULL REFERENCES finance.rating,
	new_rating_id         bigint NOT NULL REFERENCES finance.rating,
	price_book_version_id bigint REFERENCES finance.price_book_version,  -- the newest with a part in the new charges; NULL: none
	quantity              numeric(38,0) NOT NULL,
	exact_amount          numeric(38,18) NOT NULL,
	amount_minor          bigint NOT NULL,
	first_interval        timestamptz NOT NULL,
	last_interval         timestamptz NOT NULL,
	reason                text NOT NULL REFERENCES finance.reason,
	ticket                text NOT NULL,
	outcome               text NOT NULL CHECK (outcome IN ('next_invoice', 'waived')),
	booked_at             timestamptz NOT NULL,
	booked_by             text NOT NULL CHECK (booked_by <> ''),
	CHECK ((rerate_id IS NULL) = (reverses IS NOT NULL))
);
CREATE INDEX adjustment_period ON finance.adjustment (tenant, original_period);
ALTER TABLE finance.invoice_line ADD FOREIGN KEY (adjustment_id) REFERENCES finance.adjustment;

-- --- credits -------------------------------------------------------------------------------------

CREATE TABLE finance.credit_grant (
	grant_id      bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	request_id    text NOT NULL UNIQUE COLLATE "C" CHECK (request_id <> ''),  -- asked again, it is the same grant
	tenant        text NOT NULL COLLATE "C",
	issuer        text NOT NULL REFERENCES finance.issuer,
	kind          text NOT NULL CHECK (kind IN ('promotional', 'goodwill', 'prepaid')),
	currency      text NOT NULL,
	minor_units   smallint NOT NULL,
	amount_minor  bigint NOT NULL CHECK (amount_minor > 0),
	starts        timestamptz NOT NULL,    -- usage from here on ...
	expires       timestamptz,             -- ... to before here can be paid; NULL: no end
	priority      integer NOT NULL CHECK (priority BETWEEN 0 AND 1000),  -- the lowest first
	model_pattern text NOT NULL,           -- '' for every model
	meters        text[] NOT NULL,         -- none for every meter
	reason        text NOT NULL REFERENCES finance.reason,
	ticket        text NOT NULL,
	note          text NOT NULL,
	granted_at    timestamptz NOT NULL,
	granted_by    text NOT NULL CHECK (granted_by <> ''),
	CHECK (expires > starts)
);
CREATE INDEX credit_grant_tenant ON finance.credit_grant (tenant);

CREATE TABLE finance.credit_note (
	credit_note_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	request_id     text NOT NULL UNIQUE COLLATE "C" CHECK (request_id <> ''),
	invoice_id     bigint NOT NULL REFERENCES finance.invoice,
	scope          text NOT NULL CHECK (scope IN ('full', 'lines', 'amount', 'adjustments')),
	number         text NOT NULL UNIQUE COLLATE "C",
	issuer         text NOT NULL COLLATE "C",
	series_year    integer NOT NULL,
	series_number  bigint NOT NULL,
	invoice_number text NOT NULL,       -- the original's number and date, and the parties, copied in
	invoice_date   date NOT NULL,
	tenant         text NOT NULL COLLATE "C",
	issuer_name    text NOT NULL,
	tenant_name    text NOT NULL,
	currency       text NOT NULL,
	minor_units    smallint NOT NULL,
	net_minor      bigint NOT NULL,     -- of the lines
	credits_minor  bigint NOT NULL CHECK (credits_minor >= 0),  -- of these were paid by credits, which get them back
	tax_name       text NOT NULL,
	tax_percent    numeric(9,6) NOT NULL,
	tax_minor      bigint NOT NULL,
	total_minor    bigint NOT NULL CHECK (total_minor = net_minor - credits_minor + tax_minor AND total_minor >= 0),
	balance_minor  bigint NOT NULL CHECK (balance_minor >= 0),  -- of the total was paid before, and goes to the tenant's balance ...
	refund_minor   bigint NOT NULL CHECK (refund_minor >= 0),   -- ... or is to be paid back
	reason         text NOT NULL REFERENCES finance.reason,
	ticket         text NOT NULL,
	note           text NOT NULL,
	issued_on      date NOT NULL,
	issued_at      timestamptz NOT NULL,
	issued_by      text NOT NULL CHECK (issued_by <> ''),
	content_digest bytea NOT NULL,
	CHECK (balance_minor + refund_minor <= total_minor)
);
CREATE INDEX credit_note_invoice ON finance.credit_note (invoice_id);
CREATE UNIQUE INDEX credit_note_full_once ON finance.credit_note (invoice_id) WHERE scope = 'full';
-- What is credited of each line of the invoice.
CREATE TABLE finance.credit_note_line (
	credit_note_id bigint NOT NULL REFERENCES finance.credit_note,
	place          integer NOT NULL CHECK (place >= 1),
	invoice_id     bigint NOT NULL,
	line           integer,             -- NULL of an adjustment, which is no line of the invoice
	adjustment_id  bigint UNIQUE REFERENCES finance.adjustment,
	amount_minor   bigint NOT NULL,
	credits_minor  bigint NOT NULL,
	PRIMARY KEY (credit_note_id, place),
	FOREIGN KEY (invoice_id, line) REFERENCES finance.invoice_line (invoice_id, line),
	CHECK ((line IS NULL) = (adjustment_id IS NOT NULL))
);
CREATE INDEX credit_note_line_line ON finance.credit_note_line (invoice_id, line);
-- Credit notes of an invoice never come to more than the invoice.
CREATE FUNCTION finance.refuse_too_much_credit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	invoice finance.invoice;
	before  record;
BEGIN
	SELECT * INTO STRICT invoice FROM finance.invoice WHERE invoice_id = NEW.invoice_id FOR UPDATE;
	SELECT COALESCE(sum(total_minor), 0) AS total, COALESCE(sum(tax_minor), 0) AS tax, COALESCE(sum(credits_minor), 0) AS credits
	  INTO before FROM finance.credit_note WHERE invoice_id = NEW.invoice_id;
	IF invoice.status <> 'final' OR before.total + NEW.total_minor > invoice.total_minor OR before.tax + NEW.tax_minor > invoice.tax_minor
	OR before.credits + NEW.credits_minor > invoice.credits_minor THEN
		RAISE EXCEPTION 'credit notes of % would come to more than the invoice', COALESCE(invoice.number, 'a draft') USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER never_above_the_invoice BEFORE INSERT ON finance.credit_note FOR EACH ROW EXECUTE FUNCTION finance.refuse_too_much_credit();
ALTER TABLE finance.credit_note ENABLE ALWAYS TRIGGER never_above_the_invoice;

-- Adjustments that were settled together with the invoice of their period when that was credited in full, or not billed before it was.
CREATE TABLE finance.adjustment_dropped (
	adjustment_id  bigint PRIMARY KEY REFERENCES finance.adjustment,
	credit_note_id bigint NOT NULL REFERENCES finance.credit_note
);
-- Adjustments that wait for an invoice.  One on an invoice that was credited in full waits again.
CREATE VIEW finance.adjustment_waiting AS
	SELECT a.* FROM finance.adjustment a
	 WHERE a.outcome = 'next_invoice'
	   AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = a.adjustment_id)
	   AND NOT EXISTS (SELECT FROM finance.credit_note_line n WHERE n.adjustment_id = a.adjustment_id)
	   AND NOT EXISTS (SELECT FROM finance.invoice_line l JOIN finance.invoice v USING (invoice_id)
	                    WHERE l.adjustment_id = a.adjustment_id AND v.status = 'final'
	                      AND NOT EXISTS (SELECT FROM finance.credit_note n WHERE n.invoice_id = v.invoice_id AND n.scope = 'full'));

-- Periods of which something is booked by adjustments, whatever became of their invoice: what they come to is never invoiced as a whole again.
CREATE VIEW finance.adjusted_period AS
	SELECT DISTINCT a.tenant, a.original_period AS period FROM finance.adjustment a
	 WHERE a.reverses IS NULL
	   AND NOT EXISTS (SELECT FROM finance.adjustment_dropped d WHERE d.adjustment_id = a.adjustment_id)
	   AND NOT EXISTS (SELECT FROM finance.adjustment r WHERE r.reverses = a.adjustment_id);
-- Periods of tenants that are closed, though their month may be open.
CREATE VIEW finance.booked_period AS
	SELECT tenant, period FROM finance.invoiced_period UNION SELECT tenant, period FROM finance.adjusted_period;
-- Who charges a tenant's period, and at which tax: its invoice says so, else the contract at its end.
CREATE VIEW finance.period_party AS
	SELECT p.tenant, p.period, o.issuer, o.tax_name, o.tax_percent
	  FROM finance.billing_period p
	 CROSS JOIN LATERAL (
		SELECT t.issuer, t.tax_name, t.tax_percent
		  FROM (SELECT v.issuer, v.tax_name, v.tax_percent, 'infinity'::timestamptz AS since
		          FROM finance.invoiced_period i JOIN finance.invoice v USING (invoice_id) WHERE i.tenant = p.tenant AND i.period = p.period
		        UNION ALL
		        SELECT c.issuer, c.tax_name, c.tax_percent, c.effective FROM finance.contract c WHERE c.tenant = p.tenant AND c.effective < p.ends) t
		 ORDER BY t.since DESC LIMIT 1) o;

CREATE FUNCTION finance.refuse_unclaim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' OR NOT EXISTS (SELECT FROM finance.credit_note WHERE invoice_id = OLD.invoice_id AND scope = 'full') THEN
		RAISE EXCEPTION '% of % is invoiced: % is refused', OLD.period, OLD.tenant, TG_OP
			USING ERRCODE = 'restrict_violation', HINT = 'A full credit note releases a period.';
	END IF;
	RETURN OLD;
END $$;
CREATE TRIGGER claimed BEFORE UPDATE OR DELETE ON finance.invoiced_period FOR EACH ROW EXECUTE FUNCTION finance.refuse_unclaim();
ALTER TABLE finance.invoiced_period ENABLE ALWAYS TRIGGER claimed;

-- What became of a grant, step by step: place 1 is the grant itself.
CREATE TABLE finance.credit_entry (
	entry_id       bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	grant_id       bigint NOT NULL REFERENCES finance.credit_grant,
	place          integer NOT NULL CHECK (place >= 1),
	kind           text NOT NULL CHECK (kind IN ('grant', 'use', 'restore', 'expire', 'revoke')),
	amount_minor   bigint NOT NULL,
	balance_before bigint NOT NULL,
	balance_after  bigint NOT NULL CHECK (balance_after >= 0),
	invoice_id     bigint REFERENCES finance.invoice,
	credit_note_id bigint REFERENCES finance.credit_note,
	request_id     text UNIQUE COLLATE "C",   -- of a revoke
	reason         text REFERENCES finance.reason,
	ticket         text NOT NULL,
	booked_at      timestamptz NOT NULL,
	booked_by      text NOT NULL CHECK (booked_by <> ''),
	UNIQUE (grant_id, place),
	CHECK (balance_after = balance_before + amount_minor),
	CHECK ((kind IN ('grant', 'restore')) = (amount_minor > 0) AND amount_minor <> 0),
	CHECK ((kind = 'use') = (invoice_id IS NOT NULL) AND (kind = 'restore') = (credit_note_id IS NOT NULL)),
	CHECK ((kind = 'grant') = (place = 1))
);
CREATE INDEX credit_entry_invoice ON finance.credit_entry (invoice_id) WHERE invoice_id IS NOT NULL;
CREATE INDEX credit_entry_note ON finance.credit_entry (credit_note_id) WHERE credit_note_id IS NOT NULL;
-- Each entry begins where the one before it ended: two at once cannot both draw from the same balance.
CREATE FUNCTION finance.refuse_broken_chain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	wanted bigint := 0;
BEGIN
	IF NEW.place > 1 THEN
		SELECT balance_after INTO wanted FROM finance.credit_entry WHERE grant_id = NEW.grant_id AND place = NEW.place - 1;
	ELSE
		SELECT amount_minor - NEW.amount_minor INTO wanted FROM finance.credit_grant WHERE grant_id = NEW.grant_id;
	END IF;
	IF wanted IS DISTINCT FROM NEW.balance_before THEN
		RAISE EXCEPTION 'credit %: entry % does not begin where the one before it ended', NEW.grant_id, NEW.place USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER chained BEFORE INSERT ON finance.credit_entry FOR EACH ROW EXECUTE FUNCTION finance.refuse_broken_chain();
ALTER TABLE finance.credit_entry ENABLE ALWAYS TRIGGER chained;
-- Which lines of the invoice a use paid for.
CREATE TABLE finance.credit_use_line (
	entry_id     bigint NOT NULL REFERENCES finance.credit_entry,
	invoice_id   bigint NOT NULL,
	line         integer NOT NULL,
	amount_minor bigint NOT NULL CHECK (amount_minor > 0),
	PRIMARY KEY (entry_id, line),
	FOREIGN KEY (invoice_id, line) REFERENCES finance.invoice_line (invoice_id, line)
);
CREATE INDEX credit_use_line_line ON finance.credit_use_line (invoice_id, line);

-- --- payments ------------------------------------------------------------------------------------

CREATE TABLE finance.payment (
	payment_id   bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	reference    text NOT NULL UNIQUE COLLATE "C" CHECK (reference <> ''),  -- of the bank; imported again, it is the same payment
	method       text NOT NULL CHECK (method IN ('import', 'balance')),
	invoice_id   bigint NOT NULL REFERENCES finance.invoice,
	amount_minor bigint NOT NULL CHECK (amount_minor > 0),
	excess_minor bigint NOT NULL CHECK (excess_minor BETWEEN 0 AND amount_minor),  -- above what was due: to the tenant's balance
	recovered_minor bigint NOT NULL DEFAULT 0 CHECK (recovered_minor BETWEEN 0 AND amount_minor - excess_minor),  -- had been written off
	currency     text NOT NULL,
	paid_on      date NOT NULL,       -- as the bank says
	booked_at    timestamptz NOT NULL,
	booked_by    text NOT NULL CHECK (booked_by <> '')
);
CREATE INDEX payment_invoice ON finance.payment (invoice_id);

CREATE TABLE finance.write_off (
	invoice_id   bigint PRIMARY KEY REFERENCES finance.invoice,
	amount_minor bigint NOT NULL CHECK (amount_minor > 0),
	reason       text NOT NULL REFERENCES finance.reason,
	ticket       text NOT NULL,
	booked_at    timestamptz NOT NULL,
	booked_by    text NOT NULL CHECK (booked_by <> '')
);

-- Money of a tenant that no invoice needs: pays the next one.
CREATE TABLE finance.balance_entry (
	entry_id       bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	tenant         text NOT NULL COLLATE "C",
	issuer         text NOT NULL COLLATE "C",
	currency       text NOT NULL,
	place          integer NOT NULL CHECK (place >= 1),
	amount_minor   bigint NOT NULL CHECK (amount_minor <> 0),
	balance_after  bigint NOT NULL CHECK (balance_after >= 0),
	credit_note_id bigint UNIQUE REFERENCES finance.credit_note,  -- what brought it ...
	payment_id     bigint UNIQUE REFERENCES finance.payment,      -- ... or brought (an excess) or took it (a payment by balance)
	booked_at      timestamptz NOT NULL,
	booked_by      text NOT NULL CHECK (booked_by <> ''),
	UNIQUE (tenant, issuer, currency, place),
	CHECK ((credit_note_id IS NULL) <> (payment_id IS NULL))
);
CREATE FUNCTION finance.refuse_broken_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	before bigint := 0;
BEGIN
	IF NEW.place > 1 THEN
		SELECT balance_after INTO before FROM finance.balance_entry
		 WHERE tenant = NEW.tenant AND issuer = NEW.issuer AND currency = NEW.currency AND place = NEW.place - 1;
	END IF;
	IF before + NEW.amount_minor IS DISTINCT FROM NEW.balance_after THEN
		RAISE EXCEPTION 'balance of %: entry % does not begin where the one before it ended', NEW.tenant, NEW.place USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER chained BEFORE INSERT ON finance.balance_entry FOR EACH ROW EXECUTE FUNCTION finance.refuse_broken_balance();
ALTER TABLE finance.balance_entry ENABLE ALWAYS TRIGGER chained;

-- What is left to pay of each final invoice, and the word for it.  What was overpaid may come to more in all than an amount can be.
CREATE VIEW finance.invoice_standing AS
	SELECT x.*, CASE
		WHEN x.credited_minor > 0 AND x.credited_minor >= x.total_minor THEN 'credited'
		WHEN x.full_note THEN 'credited'
		WHEN x.written_off_minor > 0 THEN 'uncollectible'
		WHEN x.due_minor = 0 THEN 'paid'
		WHEN x.paid_minor > 0 THEN 'partly_paid'
		ELSE 'final' END AS standing
	  FROM (SELECT v.invoice_id, v.total_minor, n.total AS credited_minor, p.total AS paid_minor, COALESCE(w.amount_minor, 0) - p.recovered AS written_off_minor,
	               (v.total_minor - n.total - p.total - COALESCE(w.amount_minor, 0) + p.recovered + n.handed_back + p.excess)::bigint AS due_minor, n.full_note
	          FROM finance.invoice v
	         CROSS JOIN LATERAL (SELECT COALESCE(sum(total_minor), 0)::bigint AS total, COALESCE(sum(balance_minor + refund_minor), 0)::bigint AS handed_back,
	                                    COALESCE(bool_or(scope = 'full'), false) AS full_note
	                               FROM finance.credit_note WHERE invoice_id = v.invoice_id) n
	         CROSS JOIN LATERAL (SELECT COALESCE(sum(amount_minor), 0) AS total, COALESCE(sum(excess_minor), 0) AS excess,
	                                    COALESCE(sum(recovered_minor), 0)::bigint AS recovered
	                               FROM finance.payment WHERE invoice_id = v.invoice_id) p
	          LEFT JOIN finance.write_off w ON w.invoice_id = v.invoice_id
	         WHERE v.status = 'final') x;

-- --- what support did to usage -------------------------------------------------------------------

ALTER TABLE metering.source_position DROP CONSTRAINT source_position_kind_check;
ALTER TABLE metering.source_position ADD CONSTRAINT source_position_kind_check CHECK (kind IN ('file', 'quarantine', 'kafka', 'support'));

-- A void or a correction that a person made: the event that was booked for it, and why.
CREATE TABLE finance.support_event (
	request_id  text PRIMARY KEY COLLATE "C" CHECK (request_id <> ''),  -- the id of the event, whose source is /support
	action      text NOT NULL CHECK (action IN ('void', 'correction')),
	tenant      text NOT NULL COLLATE "C",
	source      text NOT NULL COLLATE "C",   -- of the event that it is about
	id          text NOT NULL COLLATE "C",
	event       text NOT NULL,               -- the event, as it was given to the ledger
	before      text NOT NULL,               -- the quantities it found
	reason      text NOT NULL REFERENCES finance.reason,
	ticket      text NOT NULL,
	asked_at    timestamptz NOT NULL,
	asked_by    text NOT NULL CHECK (asked_by <> '')
);

-- --- the journal ---------------------------------------------------------------------------------

-- Double entry over the documents, which never change: debits above zero, credits below.
CREATE VIEW finance.journal_line AS
	SELECT 'invoice ' || v.number AS entry, v.issued_on AS posted_on, v.issuer, v.tenant, v.currency, x.account, x.amount_minor
	  FROM finance.invoice v
	 CROSS JOIN LATERAL (
		SELECT 'receivable' AS account, v.total_minor AS amount_minor
		UNION ALL SELECT 'revenue', -v.net_minor
		UNION ALL SELECT 'tax_payable', -v.tax_minor
		UNION ALL SELECT CASE WHEN g.kind = 'prepaid' THEN 'deferred_revenue' ELSE 'promotional_credit' END, -e.amount_minor
		            FROM finance.credit_entry e JOIN finance.credit_grant g USING (grant_id) WHERE e.invoice_id = v.invoice_id) x
	 WHERE v.status = 'final'
	UNION ALL
	SELECT 'credit note ' || n.number, n.issued_on, n.issuer, n.tenant, n.currency, x.account, x.amount_minor
	  FROM finance.credit_note n
	 CROSS JOIN LATERAL (
		SELECT 'receivable' AS account, n.balance_minor + n.refund_minor - n.total_minor AS amount_minor
		UNION ALL SELECT 'revenue', n.net_minor
		UNION ALL SELECT 'tax_payable', n.tax_minor
		UNION ALL SELECT 'customer_balance', -n.balance_minor
		UNION ALL SELECT 'refunds_payable', -n.refund_minor
		UNION ALL SELECT CASE WHEN g.kind = 'prepaid' THEN 'deferred_revenue' ELSE 'promotional_credit' END, -e.amount_minor
		            FROM finance.credit_entry e JOIN finance.credit_grant g USING (grant_id) WHERE e.credit_note_id = n.credit_note_id) x
	UNION ALL
	SELECT 'payment ' || p.reference, p.booked_at::date, v.issuer, v.tenant, v.currency, x.account, x.amount_minor
	  FROM finance.payment p
	  JOIN finance.invoice v USING (invoice_id)
	 CROSS JOIN LATERAL (
		SELECT CASE WHEN p.method = 'balance' THEN 'customer_balance' ELSE 'cash' END AS account, p.amount_minor AS amount_minor
		UNION ALL SELECT 'receivable', p.excess_minor + p.recovered_minor - p.amount_minor
		UNION ALL SELECT 'bad_debt', -p.recovered_minor
		UNION ALL SELECT 'customer_balance', -p.excess_minor) x
	UNION ALL
	SELECT 'write-off ' || v.number, w.booked_at::date, v.issuer, v.tenant, v.currency, x.account, x.amount_minor
	  FROM finance.write_off w
	  JOIN finance.invoice v USING (invoice_id)
	 CROSS JOIN LATERAL (SELECT 'bad_debt' AS account, w.amount_minor AS amount_minor UNION ALL SELECT 'receivable', -w.amount_minor) x
	UNION ALL
	SELECT 'credit ' || g.grant_id || ' ' || e.kind || ' ' || e.place, e.booked_at::date, g.issuer, g.tenant, g.currency, x.account, x.amount_minor
	  FROM finance.credit_entry e
	  JOIN finance.credit_grant g USING (grant_id)
	 CROSS JOIN LATERAL (
		SELECT CASE e.kind WHEN 'grant' THEN 'cash' WHEN 'expire' THEN 'breakage' ELSE 'refunds_payable' END AS account, e.amount_minor AS amount_minor
		UNION ALL SELECT 'deferred_revenue', -e.amount_minor) x
	 WHERE g.kind = 'prepaid' AND e.kind IN ('grant', 'expire', 'revoke');

-- --- what is posted, is posted; and on an open day ------------------------------------------------

CREATE FUNCTION finance.refuse_closed_posting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM finance.refuse_posting((to_jsonb(NEW) ->> TG_ARGV[0])::timestamptz::date, to_jsonb(NEW) ->> TG_ARGV[1]);
	RETURN NEW;
END $$;
CREATE FUNCTION finance.refuse_closed_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.status = 'final' THEN
		PERFORM finance.refuse_posting(NEW.issued_on, NEW.finalized_by);
		IF NEW.kind = 'period' AND finance.period_is_closed(NEW.period) AND NOT EXISTS (
			SELECT FROM finance.period_state s JOIN finance.role_member m ON m.who = NEW.finalized_by AND m.role = 'finance'
			 WHERE s.period = NEW.period AND s.state = 'soft') THEN
			RAISE EXCEPTION '% is closed: no invoice of it is issued', NEW.period
				USING ERRCODE = 'restrict_violation', HINT = 'Re-rate it: what it comes to becomes an adjustment in the open month.';
		END IF;
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER posting BEFORE INSERT OR UPDATE ON finance.invoice FOR EACH ROW EXECUTE FUNCTION finance.refuse_closed_invoice();
ALTER TABLE finance.invoice ENABLE ALWAYS TRIGGER posting;

-- Each row says what it said when it was booked: sealed = the digest of its other columns, without those that are NULL, so that a column
-- added later does not break it.  Times are written in UTC, whatever the session's zone.
CREATE FUNCTION finance.seal_row() RETURNS trigger LANGUAGE plpgsql SET TimeZone = 'UTC' SET bytea_output = 'hex' AS $$
BEGIN
	NEW.sealed := sha256(convert_to((jsonb_strip_nulls(to_jsonb(NEW)) - 'sealed')::text, 'UTF8'));
	RETURN NEW;
END $$;

DO $$
DECLARE
	name text;
	posting text[];
BEGIN
	FOREACH posting SLICE 1 IN ARRAY ARRAY[['credit_note', 'issued_on', 'issued_by'], ['credit_entry', 'booked_at', 'booked_by'],
		['payment', 'booked_at', 'booked_by'], ['write_off', 'booked_at', 'booked_by'], ['adjustment', 'booked_at', 'booked_by'],
		['balance_entry', 'booked_at', 'booked_by']] LOOP
		EXECUTE format('CREATE TRIGGER posting BEFORE INSERT ON finance.%I FOR EACH ROW EXECUTE FUNCTION finance.refuse_closed_posting(%L, %L)',
			posting[1], posting[2], posting[3]);
		EXECUTE format('ALTER TABLE finance.%I ENABLE ALWAYS TRIGGER posting', posting[1]);
	END LOOP;
	FOREACH name IN ARRAY ARRAY['reason', 'period_lock', 'rerate', 'rerate_item', 'rerate_difference', 'rerate_decision', 'price_substitution', 'adjustment',
		'adjustment_dropped', 'credit_grant', 'credit_entry', 'credit_use_line', 'credit_note', 'credit_note_line', 'payment', 'write_off',
		'balance_entry', 'support_event'] LOOP
		EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance.%I FOR EACH ROW EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE finance.%I ENABLE ALWAYS TRIGGER append_only', name);
	END LOOP;
	FOREACH name IN ARRAY ARRAY['period_lock', 'rerate', 'rerate_item', 'rerate_difference', 'rerate_decision', 'price_substitution', 'adjustment',
		'adjustment_dropped', 'credit_grant', 'credit_entry', 'credit_use_line', 'credit_note', 'credit_note_line', 'payment', 'write_off',
		'balance_entry', 'support_event'] LOOP
		EXECUTE format('ALTER TABLE finance.%I ADD COLUMN sealed bytea', name);
		EXECUTE format('CREATE TRIGGER sealed BEFORE INSERT ON finance.%I FOR EACH ROW EXECUTE FUNCTION finance.seal_row()', name);
		EXECUTE format('ALTER TABLE finance.%I ENABLE ALWAYS TRIGGER sealed', name);
	END LOOP;
	FOREACH name IN ARRAY ARRAY['reason', 'period_lock', 'rerate', 'rerate_item', 'rerate_difference', 'rerate_decision', 'price_substitution',
		'adjustment', 'adjustment_dropped', 'credit_grant', 'credit_entry', 'credit_use_line', 'credit_note', 'credit_note_line', 'payment',
		'write_off', 'balance_entry', 'support_event', 'invoiced_period'] LOOP
		EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON finance.%I FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE finance.%I ENABLE ALWAYS TRIGGER append_only_truncate', name);
	END LOOP;
END $$;
