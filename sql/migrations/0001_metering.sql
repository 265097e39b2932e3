-- The metered side: facts, appended for ever, without a price in them.

CREATE SCHEMA metering;

-- What is counted: a copy of ledger/meters.def, so that SQL can name meters.
CREATE TABLE metering.meter (
	meter_id    smallint PRIMARY KEY,
	name        text NOT NULL UNIQUE COLLATE "C",
	side        text NOT NULL CHECK (side IN ('input', 'output', 'other')),
	decimals    smallint NOT NULL CHECK (decimals BETWEEN 0 AND 9)
);

-- Who the producers are: the "source" of an event's identity.
CREATE TABLE metering.event_source (
	event_source_id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	name            text NOT NULL UNIQUE COLLATE "C"
);

-- What usage is attributed to: each distinct combination once; '' is "not stated".
-- The unique key is a digest, because the texts together may exceed what an index row can hold.
CREATE TABLE metering.usage_series (
	series_id    integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	digest       uuid NOT NULL UNIQUE,
	tenant       text NOT NULL COLLATE "C",
	model        text NOT NULL COLLATE "C",
	base_model   text NOT NULL COLLATE "C",
	adapter_kind text NOT NULL COLLATE "C",
	adapter      text NOT NULL COLLATE "C",
	provider     text NOT NULL COLLATE "C",
	operation    text NOT NULL COLLATE "C",
	service_tier text NOT NULL COLLATE "C",
	speed        text NOT NULL COLLATE "C",
	region       text NOT NULL COLLATE "C",
	deployment   text NOT NULL COLLATE "C",
	status       text NOT NULL COLLATE "C",
	served_from  text NOT NULL COLLATE "C",
	method       text NOT NULL COLLATE "C",
	project      text NOT NULL COLLATE "C",
	api_key      text NOT NULL COLLATE "C"
);
CREATE INDEX usage_series_tenant ON metering.usage_series (tenant);

-- Where input stands.  A row per reading of a file, a row per Kafka partition.  It is the one table of this
-- schema whose rows change: the position moves by compare-and-swap in the transaction of each batch.
CREATE TABLE metering.source_position (
	position_id   bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	kind          text NOT NULL CHECK (kind IN ('file', 'quarantine')),
	name          text NOT NULL,
	opened_at     timestamptz NOT NULL,
	opened_by     text NOT NULL,
	next_position bigint NOT NULL CHECK (next_position >= 0),  -- bytes of the decompressed file
	next_record   bigint NOT NULL CHECK (next_record >= 1),
	last_batch    bigint,
	last_digest   bytea NOT NULL,
	finished_at   timestamptz
);

-- What one transaction appended.  The digest covers the previous batch's digest of the same source, the range,
-- the counts and every booked row, so that a changed, missing or inserted batch shows.
CREATE TABLE metering.ingest_batch (
	batch_id         bigint PRIMARY KEY,
	position_id      bigint NOT NULL REFERENCES metering.source_position,
	first_position   bigint NOT NULL,
	next_position    bigint NOT NULL,
	first_record     bigint NOT NULL,
	records          bigint NOT NULL,
	accepted         bigint NOT NULL,
	duplicates       bigint NOT NULL,
	restamped        bigint NOT NULL,  -- duplicates whose time differed
	ignored          bigint NOT NULL,
	quarantined      bigint NOT NULL,
	rejected         bigint NOT NULL,
	set_aside_before bigint NOT NULL,  -- of quarantined and rejected: the same record was in quarantine already
	ledger_rows      bigint NOT NULL,  -- accepted events, plus one reversal for each correction and void, minus the voids
	first_event_time timestamptz,
	last_event_time  timestamptz,
	previous_digest  bytea NOT NULL,
	digest           bytea NOT NULL,
	appended_at      timestamptz NOT NULL,
	CHECK (records = accepted + duplicates + ignored + quarantined + rejected),
	CHECK (next_position >= first_position),
	UNIQUE (position_id, first_record)
);
CREATE SEQUENCE metering.ingest_batch_id AS bigint OWNED BY metering.ingest_batch.batch_id;

-- The dedupe register: every identity ever accepted, for ever.  One table: a sorted batch then takes its keys in one
-- order, so that two writers wait for each other and never deadlock.
CREATE TABLE metering.usage_key (
	event_id   uuid PRIMARY KEY,
	content    uuid NOT NULL,
	event_time timestamptz NOT NULL,  -- as first stated
	batch_id   bigint NOT NULL
);

-- Which event was corrected or voided by which: once each; a second one must name the newest.
CREATE TABLE metering.usage_correction (
	original_event_id uuid PRIMARY KEY,
	event_id          uuid NOT NULL,
	batch_id          bigint NOT NULL
);

-- The ledger.  kind 1: an event's quantities; kind 2: the reversal of an earlier row, by a correction or a void,
-- with every quantity negated.  Quantities are whole smallest units of their meter; NULL is "not reported".
-- "extra" holds the other meters as pairs: meter id, quantity, meter id, quantity ...
CREATE TABLE metering.usage_event (
	batch_id                         bigint NOT NULL,
	ordinal                          integer NOT NULL,  -- the record's place in its batch
	kind                             smallint NOT NULL CHECK (kind IN (1, 2)),
	event_id                         uuid NOT NULL,
	event_time                       timestamptz NOT NULL,
	series_id                        integer NOT NULL,
	event_source_id                  integer NOT NULL,
	id                               text NOT NULL COLLATE "C",
	flags                            integer NOT NULL,
	context_input_tokens             bigint,
	requests                         bigint,
	input_text_uncached_tokens       bigint,
	input_text_cache_read_tokens     bigint,
	input_text_cache_write_5m_tokens bigint,
	input_text_cache_write_1h_tokens bigint,
	output_text_tokens               bigint,
	output_reasoning_tokens          bigint,
	extra                            bigint[],
	context                          text
) PARTITION BY RANGE (event_time);
CREATE INDEX usage_event_batch ON metering.usage_event USING brin (batch_id) WITH (pages_per_range = 32);
CREATE INDEX usage_event_time ON metering.usage_event USING brin (event_time) WITH (pages_per_range = 32);

-- Months are made when the first event of the month arrives: beside the ledger, then attached, because a long rating run or
-- reconciliation, which only reads the ledger, would hold up CREATE TABLE ... PARTITION OF and all ingestion behind it.
CREATE FUNCTION metering.ensure_month(month date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	name text := 'usage_event_' || to_char(month, 'YYYY_MM');
BEGIN
	IF to_regclass('metering.' || name) IS NOT NULL THEN
		RETURN;
	END IF;
	PERFORM pg_advisory_xact_lock(hashtextextended('tollbook.ensure_month', 0));
	-- Asked of the table itself: what to_regclass() knows may be from before the lock.
	IF EXISTS (SELECT FROM pg_catalog.pg_class WHERE relname = name AND relnamespace = 'metering'::regnamespace) THEN
		RETURN;
	END IF;
	EXECUTE format('CREATE TABLE metering.%I (LIKE metering.usage_event INCLUDING ALL)', name);
	EXECUTE format('ALTER TABLE metering.usage_event ATTACH PARTITION metering.%I FOR VALUES FROM (%L) TO (%L)',
		name, to_char(month, 'YYYY-MM-DD') || ' 00:00:00+00', to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00');
	EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON metering.%I FOR EACH ROW EXECUTE FUNCTION metering.refuse_change()', name);
	EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON metering.%I FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_change()', name);
	EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER append_only', name);
	EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER append_only_truncate', name);
END $$;

-- Records that are not facts yet: raw bytes, a reason, and where they came from.
CREATE TABLE metering.quarantine (
	quarantine_id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	batch_id      bigint NOT NULL,
	record        bigint NOT NULL,  -- its number in its source
	outcome       text NOT NULL CHECK (outcome IN ('quarantined', 'rejected')),
	code          text NOT NULL,
	field         text NOT NULL,
	value         text NOT NULL,
	format        text NOT NULL,    -- how to read raw again, see reader_format() in ingest/reader.h
	raw           bytea NOT NULL,   -- at most the first MiB
	raw_length    bigint NOT NULL,
	raw_digest    bytea NOT NULL
);
-- The same bytes at the same place are kept once; read in another way (another mapping, source or key) they are another record.
CREATE UNIQUE INDEX quarantine_once ON metering.quarantine (raw_digest, record, hashtextextended(format, 0));

-- What a person decided about a quarantined record; once.
CREATE TABLE metering.quarantine_resolution (
	quarantine_id bigint PRIMARY KEY REFERENCES metering.quarantine,
	action        text NOT NULL CHECK (action IN ('released', 'discarded')),
	batch_id      bigint,           -- where a released record was booked
	reason        text NOT NULL CHECK (reason <> ''),
	resolved_by   text NOT NULL,
	resolved_at   timestamptz NOT NULL
);

-- The ledger by meter: a row for each quantity of each ledger row.
CREATE VIEW metering.event_quantity AS
	SELECT e.batch_id, e.ordinal, e.kind, e.event_id, e.event_time, e.series_id, e.event_source_id, e.id, q.meter_id, q.quantity
	  FROM metering.usage_event e
	 CROSS JOIN LATERAL (
		VALUES (1::smallint, e.requests), (2, e.input_text_uncached_tokens), (3, e.input_text_cache_read_tokens),
		       (4, e.input_text_cache_write_5m_tokens), (5, e.input_text_cache_write_1h_tokens),
		       (6, e.output_text_tokens), (7, e.output_reasoning_tokens)
	 ) AS q (meter_id, quantity)
	 WHERE q.quantity IS NOT NULL
	UNION ALL
	SELECT e.batch_id, e.ordinal, e.kind, e.event_id, e.event_time, e.series_id, e.event_source_id, e.id,
	       e.extra[i]::smallint, e.extra[i + 1]
	  FROM metering.usage_event e
	 CROSS JOIN LATERAL generate_series(1, cardinality(e.extra), 2) AS i
	 WHERE e.extra IS NOT NULL;

-- Ledger rows summed over 15 minutes, as increments: each rating run adds what the batches new to it brought.  Hot meters are
-- columns, as in the ledger; the others, whose sums may need more than 64 bits, are rows of usage_interval_extra.
CREATE TABLE metering.usage_interval (
	rating_run                       bigint NOT NULL,
	series_id                        integer NOT NULL,
	interval_start                   timestamptz NOT NULL,
	requests                         bigint,
	input_text_uncached_tokens       bigint,
	input_text_cache_read_tokens     bigint,
	input_text_cache_write_5m_tokens bigint,
	input_text_cache_write_1h_tokens bigint,
	output_text_tokens               bigint,
	output_reasoning_tokens          bigint
);
CREATE INDEX usage_interval_series ON metering.usage_interval (series_id, interval_start);
CREATE INDEX usage_interval_run ON metering.usage_interval USING brin (rating_run) WITH (pages_per_range = 32);
CREATE TABLE metering.usage_interval_extra (
	rating_run     bigint NOT NULL,
	series_id      integer NOT NULL,
	interval_start timestamptz NOT NULL,
	meter_id       smallint NOT NULL,
	quantity       numeric(38,0) NOT NULL
);
CREATE INDEX usage_interval_extra_series ON metering.usage_interval_extra (series_id, interval_start);
CREATE INDEX usage_interval_extra_run ON metering.usage_interval_extra USING brin (rating_run) WITH (pages_per_range = 32);

-- Intervals by meter.
CREATE VIEW metering.interval_quantity AS
	SELECT i.rating_run, i.series_id, i.interval_start, q.meter_id, q.quantity::numeric(38,0) AS quantity
	  FROM metering.usage_interval i
	 CROSS JOIN LATERAL (
		VALUES (1::smallint, i.requests), (2, i.input_text_uncached_tokens), (3, i.input_text_cache_read_tokens),
		       (4, i.input_text_cache_write_5m_tokens), (5, i.input_text_cache_write_1h_tokens),
		       (6, i.output_text_tokens), (7, i.output_reasoning_tokens)
	 ) AS q (meter_id, quantity)
	 WHERE q.quantity IS NOT NULL
	UNION ALL
	SELECT rating_run, series_id, interval_start, meter_id, quantity FROM metering.usage_interval_extra;

-- Which run summed which batch; each batch once.
CREATE TABLE metering.summed_batch (
	batch_id   bigint PRIMARY KEY,
	rating_run bigint NOT NULL
);

-- Append-only, also for the owner and for replication sessions.
CREATE FUNCTION metering.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '%.% is append-only: % is refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP
		USING ERRCODE = 'restrict_violation',
		      HINT = 'Correct a fact with a correction or void event; nothing is edited.';
END $$;
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['event_source', 'usage_series', 'ingest_batch', 'usage_correction', 'quarantine',
		'quarantine_resolution', 'usage_interval', 'usage_interval_extra', 'summed_batch',
		'usage_key']
	LOOP
		EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON metering.%I FOR EACH ROW EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON metering.%I FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER append_only', name);
		EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER append_only_truncate', name);
	END LOOP;
END $$;
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON metering.usage_event FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_change();
ALTER TABLE metering.usage_event ENABLE ALWAYS TRIGGER append_only_truncate;
