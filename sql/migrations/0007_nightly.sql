-- The nightly job: runs, steps and units that survive being killed, tenants set aside, anchor days, series.

-- --- contracts and issuers -----------------------------------------------------------------------

ALTER TABLE finance.contract
	ADD COLUMN anchor      smallint NOT NULL DEFAULT 1 CHECK (anchor BETWEEN 1 AND 31),  -- day of the month on which periods begin
	ADD COLUMN grace_hours integer CHECK (grace_hours BETWEEN 0 AND 8760);               -- before a period is invoiced by itself; NULL: as configured
ALTER TABLE finance.issuer
	ADD COLUMN invoice_series     text NOT NULL DEFAULT 'INV' COLLATE "C" CHECK (invoice_series ~ '^[A-Z0-9]{1,8}$'),
	ADD COLUMN credit_note_series text NOT NULL DEFAULT 'CRN' COLLATE "C" CHECK (credit_note_series ~ '^[A-Z0-9]{1,8}$'),
	ADD CHECK (invoice_series <> credit_note_series);

-- The date on which the period of a month begins: the anchor day, in shorter months the last one.  $1 is any day of the month.
CREATE FUNCTION finance.anchor_date(month timestamp, anchor smallint) RETURNS timestamp IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT date_trunc('month', $1) + (LEAST($2::integer, EXTRACT(day FROM date_trunc('month', $1) + interval '1 month - 1 day')::integer) - 1) * interval '1 day'
$$;
-- When the period that is named by a month begins: midnight of that date in the zone.
CREATE FUNCTION finance.period_begin(month timestamp, anchor smallint, zone text) RETURNS timestamptz STABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT finance.anchor_date($1, $2) AT TIME ZONE $3
$$;
-- The month (its first day) that names the period which an instant lies in.  Where clocks go back over the midnight that a period begins
-- with (America/Havana, 1 November 2026), the local time is behind it an hour before the period begins.
CREATE FUNCTION finance.period_month(at timestamptz, anchor smallint, zone text) RETURNS timestamp STABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT CASE WHEN $1 < finance.period_begin($1 AT TIME ZONE $3, $2, $3)
	            THEN date_trunc('month', $1 AT TIME ZONE $3) - interval '1 month'
	            ELSE date_trunc('month', $1 AT TIME ZONE $3) END
$$;

-- Ratings are numbered without gaps, by whoever has the lock of rating: a run that was killed leaves no trace in what comes after it.
DROP SEQUENCE finance.rating_run_id;

-- --- nights --------------------------------------------------------------------------------------

-- A night: what was there at an instant, made into documents.  Done once.
CREATE TABLE finance.night_run (
	night_run  bigint PRIMARY KEY,      -- without gaps
	night      date NOT NULL UNIQUE,
	at         timestamptz NOT NULL,    -- the night's instant, which is what time it is for all that the run writes
	caught_up  boolean NOT NULL,        -- it was missed: it takes only what had come before its instant
	read_at    timestamptz NOT NULL,    -- when it was begun; what is in the future is told by that
	attempts   integer NOT NULL CHECK (attempts >= 1),
	ended_at   timestamptz,
	outcome    text CHECK (outcome IN ('done', 'findings', 'differences')),
	code_version text NOT NULL,
	zone_data  text NOT NULL,
	settings   text NOT NULL,           -- JSON: what was configured, without secrets
	manifest   text,                    -- JSON; docs/formats.md says what is in it
	CHECK ((ended_at IS NULL) = (outcome IS NULL) AND (ended_at IS NULL) = (manifest IS NULL))
);
CREATE TABLE finance.night_step (
	night_run  bigint NOT NULL REFERENCES finance.night_run,
	place      smallint NOT NULL,
	step       text NOT NULL COLLATE "C",
	started_at timestamptz NOT NULL,    -- of the attempt that ended it
	ended_at   timestamptz,
	told       text NOT NULL DEFAULT '',    -- for people
	result     text NOT NULL DEFAULT '{}',  -- JSON
	findings    boolean NOT NULL DEFAULT false,  -- something waits for a person
	differences boolean NOT NULL DEFAULT false,  -- the books do not agree
	PRIMARY KEY (night_run, step)
);
-- A unit of a step: a file, a partition, a tenant's period, a document.  What it does is done in the transaction that writes its
-- result, or does no harm when it is done twice.
CREATE TABLE finance.night_unit (
	night_run bigint NOT NULL REFERENCES finance.night_run,
	step      text NOT NULL COLLATE "C",
	unit      text NOT NULL COLLATE "C",
	plan      text NOT NULL,            -- what was pinned before it began; '' for nothing
	is_done   boolean NOT NULL,
	result    text NOT NULL DEFAULT '', -- JSON
	digest    bytea,                    -- SHA-256 of what came out, where that is bytes
	PRIMARY KEY (night_run, step, unit)
);
CREATE INDEX night_unit_name ON finance.night_unit (step, unit, plan);

-- The batches that a night accounts for: those that ratings since the night before summed, its own and those by hand, whoever booked them, and
-- those booked since then that have nothing to rate.  Each batch is of one night.
CREATE VIEW finance.night_batch AS
	WITH night AS (
		SELECT night_run, at, COALESCE(lag(at) OVER (ORDER BY at), '-infinity') AS before FROM finance.night_run
	)
	SELECT n.night_run, s.batch_id
	  FROM night n
	  JOIN finance.rating_run q ON q.started_at > n.before AND q.started_at <= n.at
	  JOIN metering.summed_batch s USING (rating_run)
	UNION ALL
	SELECT n.night_run, b.batch_id
	  FROM night n
	  JOIN metering.ingest_batch b ON b.ledger_rows = 0 AND b.appended_at > n.before AND b.appended_at <= n.at;

-- Who may write as the nightly job: the newest fence, and only in the session that holds the job's lock.
CREATE TABLE finance.night_fence (
	fence         bigint NOT NULL,
	backend       integer,
	backend_start timestamptz
);
CREATE UNIQUE INDEX night_fence_one ON finance.night_fence ((true));
INSERT INTO finance.night_fence VALUES (0, NULL, NULL);

CREATE FUNCTION finance.refuse_fenced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM finance.night_fence WHERE fence = current_setting('tollbook.fence')::bigint AND backend = pg_backend_pid() FOR SHARE;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'this nightly run (fence %) has lost its lock: it writes nothing more', current_setting('tollbook.fence')
			USING ERRCODE = 'TB001', HINT = 'Run tollbook nightly again: it goes on from where this one stood.';
	END IF;
	RETURN NULL;
END $$;
DO $$
DECLARE
	name regclass;
BEGIN
	FOR name IN SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	             WHERE n.nspname IN ('metering', 'finance') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
	               AND c.oid <> 'finance.night_fence'::regclass LOOP
		EXECUTE format('CREATE TRIGGER fenced BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH STATEMENT
			WHEN (current_setting(''tollbook.fence'', true) <> '''') EXECUTE FUNCTION finance.refuse_fenced()', name);
		EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER fenced', name);
	END LOOP;
END $$;

-- How each night stands: its outcome; or in which step it is, or was when it was interrupted.
CREATE VIEW finance.night_standing AS
	SELECT r.night_run, COALESCE(r.outcome,
	       CASE WHEN EXISTS (SELECT FROM finance.night_fence f JOIN pg_stat_activity a ON a.pid = f.backend AND a.backend_start = f.backend_start)
	            THEN 'running' ELSE 'interrupted' END ||
	       COALESCE((SELECT CASE WHEN s.ended_at IS NULL THEN ' in step ' ELSE ' behind step ' END || s.step
	                   FROM finance.night_step s WHERE s.night_run = r.night_run ORDER BY s.place DESC LIMIT 1), ' before its first step')) AS state
	  FROM finance.night_run r;

-- Usage on hold in months that are not closed for good (there it was accepted), with the currency of its tenant, and what it would come to
-- by the average price of its meter in that currency and period; NULL where nothing was priced so, or there is no contract.
CREATE VIEW finance.held AS
	WITH waiting AS (
		SELECT f.tenant, f.period, h.rating_id, h.ordinal, h.reason, h.meter_id, h.quantity
		  FROM finance.rating_in_force f
		  JOIN finance.hold h USING (rating_id)
		 WHERE NOT EXISTS (SELECT FROM finance.period_state s WHERE s.period = f.period AND s.state = 'hard')
	), price AS (
		SELECT i.period, g.currency, g.meter_id, sum(g.amount) / sum(g.quantity) AS price
		  FROM finance.rating_in_force i JOIN finance.charge g USING (rating_id)
		 WHERE g.meter_id <> 0 AND i.period IN (SELECT period FROM waiting)
		 GROUP BY i.period, g.currency, g.meter_id HAVING sum(g.quantity) > 0
	)
	SELECT w.*, c.currency, w.quantity * p.price AS worth
	  FROM waiting w
	  JOIN finance.billing_period b ON b.tenant = w.tenant AND b.period = w.period
	  LEFT JOIN LATERAL (
		SELECT currency FROM finance.contract WHERE tenant = w.tenant AND effective < b.ends ORDER BY effective DESC LIMIT 1) c ON true
	  LEFT JOIN price p ON p.period = w.period AND p.currency = c.currency AND p.meter_id = w.meter_id;

-- --- tenants set aside ---------------------------------------------------------------------------

CREATE TABLE finance.parked (
	parked_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	tenant    text NOT NULL COLLATE "C",
	period    text NOT NULL COLLATE "C",
	reason    text NOT NULL CHECK (reason IN ('held_above_limit', 'charge_jump', 'reconcile_difference', 'currency_mismatch',
		'rating_failed', 'draft_failed', 'finalize_failed', 'finalize_refused', 'document_failed')),
	detail    text NOT NULL,            -- for people: the figures, or the error with its remedy
	measured  numeric,                  -- what was above the limit; NULL where nothing was measured or it is not known
	extent    numeric,                  -- where that is an estimate: how many units it was made of
	currency  text NOT NULL DEFAULT '',
	parked_at timestamptz NOT NULL,
	parked_by text NOT NULL CHECK (parked_by <> '')
);
CREATE INDEX parked_tenant ON finance.parked (tenant, period);
CREATE TABLE finance.parked_release (
	parked_id   bigint PRIMARY KEY REFERENCES finance.parked,
	by_itself   boolean NOT NULL,       -- its cause is gone; else somebody looked at it and takes it as it is
	note        text NOT NULL,
	ticket      text NOT NULL,
	released_at timestamptz NOT NULL,
	released_by text NOT NULL CHECK (released_by <> '')
);
CREATE VIEW finance.parked_now AS
	SELECT p.*, p.reason IN ('held_above_limit', 'charge_jump', 'reconcile_difference', 'currency_mismatch') AS blocks  -- finalizing; the others are tried again
	  FROM finance.parked p WHERE NOT EXISTS (SELECT FROM finance.parked_release r WHERE r.parked_id = p.parked_id);

DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['parked', 'parked_release'] LOOP
		EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON finance.%I FOR EACH ROW EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE finance.%I ENABLE ALWAYS TRIGGER append_only', name);
		EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON finance.%I FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE finance.%I ENABLE ALWAYS TRIGGER append_only_truncate', name);
		EXECUTE format('CREATE TRIGGER fenced BEFORE INSERT OR UPDATE OR DELETE ON finance.%I FOR EACH STATEMENT
			WHEN (current_setting(''tollbook.fence'', true) <> '''') EXECUTE FUNCTION finance.refuse_fenced()', name);
		EXECUTE format('ALTER TABLE finance.%I ENABLE ALWAYS TRIGGER fenced', name);
	END LOOP;
END $$;

-- A night that is done does not change.
CREATE FUNCTION finance.refuse_ended_night() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' OR OLD.ended_at IS NOT NULL THEN
		RAISE EXCEPTION 'the night of % is % and stays: % is refused', OLD.night, COALESCE(OLD.outcome, 'not done'), TG_OP
			USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER done_is_done BEFORE UPDATE OR DELETE ON finance.night_run FOR EACH ROW EXECUTE FUNCTION finance.refuse_ended_night();
ALTER TABLE finance.night_run ENABLE ALWAYS TRIGGER done_is_done;
