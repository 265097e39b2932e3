-- Old months of the ledger as files: what is in which file, with the sums and proofs that stay in the books in place of the rows.
--
-- A part is the rows that a month of the ledger had when it was written; rows that come later stay in the ledger until they are written as the
-- next part.  The dedupe register keeps all its keys: a copy of an archived event is a duplicate.

CREATE TABLE metering.archive (
	archive_id  bigint PRIMARY KEY,
	month       date NOT NULL CHECK (date_trunc('month', month) = month),  -- in UTC, as the ledger's partitions are
	part        integer NOT NULL CHECK (part >= 1),
	file        text NOT NULL UNIQUE,      -- its name, which does not change
	folder      text NOT NULL,             -- where it was written; it may be kept elsewhere
	digest      bytea NOT NULL,            -- SHA-256 of the file
	bytes       bigint NOT NULL CHECK (bytes > 0),
	rows        bigint NOT NULL CHECK (rows > 0),
	batches     bigint NOT NULL CHECK (batches > 0),
	rows_digest bytea NOT NULL,            -- of its batches' proofs, in the order of their numbers
	written_at  timestamptz NOT NULL,
	written_by  text NOT NULL CHECK (written_by <> ''),
	UNIQUE (month, part)
);

-- Brought back into the ledger, and let go again, by turns.
CREATE TABLE metering.archive_step (
	step_id    bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	archive_id bigint NOT NULL REFERENCES metering.archive,
	step       text NOT NULL CHECK (step IN ('attached', 'detached')),
	at         timestamptz NOT NULL,
	who        text NOT NULL CHECK (who <> '')
);
CREATE INDEX archive_step_archive ON metering.archive_step (archive_id, step_id);

-- The parts whose rows are not in the ledger.
CREATE VIEW metering.archive_out AS
	SELECT a.* FROM metering.archive a
	 WHERE COALESCE((SELECT s.step FROM metering.archive_step s WHERE s.archive_id = a.archive_id ORDER BY s.step_id DESC LIMIT 1), 'detached') = 'detached';

CREATE FUNCTION metering.refuse_step_out_of_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(hashtextextended('tollbook.archive', 0));
	IF (NEW.step = 'attached') <> EXISTS (SELECT FROM metering.archive_out o WHERE o.archive_id = NEW.archive_id) THEN
		RAISE EXCEPTION 'archive % is % already: the step is refused', NEW.archive_id, NEW.step USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER in_order BEFORE INSERT ON metering.archive_step FOR EACH ROW EXECUTE FUNCTION metering.refuse_step_out_of_order();
ALTER TABLE metering.archive_step ENABLE ALWAYS TRIGGER in_order;

-- What a part has of a batch.  The digest is SHA-256 of the rows' bytes, as the digest of the batch covers them.
CREATE TABLE metering.archived_batch (
	archive_id bigint NOT NULL,
	batch_id   bigint NOT NULL,
	rows       bigint NOT NULL CHECK (rows > 0),
	digest     bytea NOT NULL,
	PRIMARY KEY (batch_id, archive_id)
);
CREATE INDEX archived_batch_archive ON metering.archived_batch (archive_id);

-- The corrections and voids whose reversals are in a part.
CREATE TABLE metering.archived_reversal (
	archive_id bigint NOT NULL,
	event_id   uuid NOT NULL,
	batch_id   bigint NOT NULL,
	PRIMARY KEY (event_id)
);

-- Sums over a part's rows, as those of intervals: they stand for the rows wherever the ledger is summed.
CREATE TABLE metering.archived_interval (
	archive_id                       bigint NOT NULL,
	series_id                        integer NOT NULL,
	interval_start                   timestamptz NOT NULL,
	rows                             bigint NOT NULL,
	requests                         bigint,
	input_text_uncached_tokens       bigint,
	input_text_cache_read_tokens     bigint,
	input_text_cache_write_5m_tokens bigint,
	input_text_cache_write_1h_tokens bigint,
	output_text_tokens               bigint,
	output_reasoning_tokens          bigint
);
CREATE INDEX archived_interval_archive ON metering.archived_interval USING brin (archive_id) WITH (pages_per_range = 32);
CREATE INDEX archived_interval_time ON metering.archived_interval USING brin (interval_start) WITH (pages_per_range = 32);
CREATE TABLE metering.archived_interval_extra (
	archive_id     bigint NOT NULL,
	series_id      integer NOT NULL,
	interval_start timestamptz NOT NULL,
	meter_id       smallint NOT NULL,
	quantity       numeric(38,0) NOT NULL
);
CREATE INDEX archived_interval_extra_archive ON metering.archived_interval_extra USING brin (archive_id) WITH (pages_per_range = 32);

-- These sums by meter.
CREATE VIEW metering.archived_quantity AS
	SELECT i.archive_id, i.series_id, i.interval_start, q.meter_id, q.quantity::numeric(38,0) AS quantity
	  FROM metering.archived_interval i
	 CROSS JOIN LATERAL (
		VALUES (1::smallint, i.requests), (2, i.input_text_uncached_tokens), (3, i.input_text_cache_read_tokens),
		       (4, i.input_text_cache_write_5m_tokens), (5, i.input_text_cache_write_1h_tokens),
		       (6, i.output_text_tokens), (7, i.output_reasoning_tokens)
	 ) AS q (meter_id, quantity)
	 WHERE q.quantity IS NOT NULL
	UNION ALL
	SELECT archive_id, series_id, interval_start, meter_id, quantity FROM metering.archived_interval_extra;

-- Batches that may have rows of a month which no part of it has: what came later than its parts.
CREATE FUNCTION metering.late_batches(month date) RETURNS SETOF bigint STABLE LANGUAGE sql AS $$
	SELECT b.batch_id
	  FROM metering.ingest_batch b
	 WHERE b.ledger_rows > 0 AND b.first_event_time < ($1 + interval '1 month') AT TIME ZONE 'UTC' AND b.last_event_time >= $1::timestamp AT TIME ZONE 'UTC'
	   AND NOT EXISTS (SELECT FROM metering.archived_batch t JOIN metering.archive a USING (archive_id) WHERE t.batch_id = b.batch_id AND a.month = $1)
$$;

-- Waits until nobody uses the ledger, or books usage of the month, and keeps everybody out until the transaction ends.  Detaching takes these locks
-- anyway; here they come first, so that what is counted behind them stays so.
CREATE FUNCTION metering.month_lock(month date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	LOCK TABLE ONLY metering.usage_event IN ACCESS EXCLUSIVE MODE;
	EXECUTE format('LOCK TABLE metering.%I IN ACCESS EXCLUSIVE MODE', 'usage_event_' || to_char(month, 'YYYY_MM'));
END $$;

-- Puts a fresh partition in the place of a month's, and drops that one; rows that no part of the month has go into the fresh one.  Returns how
-- many these are.  It asks what is there, not who is asking: rows go only where all parts of the month have them in files.
CREATE FUNCTION metering.month_replace(month date) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	name text := 'usage_event_' || to_char(month, 'YYYY_MM');
	late bigint[] := ARRAY(SELECT metering.late_batches(month));
	kept bigint := 0;
BEGIN
	IF (SELECT count(*) = 0 OR bool_or(o.archive_id IS NULL) FROM metering.archive a LEFT JOIN metering.archive_out o USING (archive_id)
	     WHERE a.month = month_replace.month) THEN
		RAISE EXCEPTION 'no file, or not every file, of % stands for its rows: they stay', to_char(month, 'YYYY-MM') USING ERRCODE = 'restrict_violation';
	END IF;
	EXECUTE format('ALTER TABLE metering.usage_event DETACH PARTITION metering.%I', name);
	EXECUTE format('ALTER TABLE metering.%I RENAME TO %I', name, name || '_out');
	PERFORM metering.ensure_month(month);
	IF cardinality(late) > 0 THEN
		EXECUTE format('INSERT INTO metering.%I SELECT * FROM metering.%I WHERE batch_id = ANY ($1) ORDER BY batch_id, ordinal, kind', name, name || '_out') USING late;
		GET DIAGNOSTICS kept = ROW_COUNT;
	END IF;
	EXECUTE format('DROP TABLE metering.%I', name || '_out');
	RETURN kept;
END $$;

DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['archive', 'archive_step', 'archived_batch', 'archived_reversal', 'archived_interval', 'archived_interval_extra'] LOOP
		EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON metering.%I FOR EACH ROW EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER append_only', name);
		EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON metering.%I FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER append_only_truncate', name);
		EXECUTE format('CREATE TRIGGER fenced BEFORE INSERT OR UPDATE OR DELETE ON metering.%I FOR EACH STATEMENT
			WHEN (current_setting(''tollbook.fence'', true) <> '''') EXECUTE FUNCTION finance.refuse_fenced()', name);
		EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER fenced', name);
	END LOOP;
END $$;
