-- Usage from Kafka: where each partition stands, what each batch took from which, and what went wrong.

-- A row of kind kafka is one run of a consumer; its positions count the records it took.
ALTER TABLE metering.source_position DROP CONSTRAINT source_position_kind_check;
ALTER TABLE metering.source_position ADD CONSTRAINT source_position_kind_check CHECK (kind IN ('file', 'quarantine', 'kafka'));

-- One reading of a partition.  Every record from start_offset up to next_offset is booked exactly once, at every commit: whoever
-- books moves next_offset by compare-and-swap on (next_offset, owner_epoch), and taking a partition over raises the epoch.
-- It changes, like source_position; a reading that ended keeps its row.
CREATE TABLE metering.kafka_partition (
	partition_id        bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	cluster             text NOT NULL,
	topic               text NOT NULL,
	partition           integer NOT NULL CHECK (partition >= 0),
	opened_at           timestamptz NOT NULL,
	opened_by           text NOT NULL,
	start_offset        bigint NOT NULL CHECK (start_offset >= 0),
	next_offset         bigint NOT NULL,
	clear_offset        bigint NOT NULL,  -- a consumer saw that from next_offset up to here there is no record
	owner_epoch         bigint NOT NULL DEFAULT 0,
	owner               text NOT NULL DEFAULT '',
	owner_backend       integer,          -- the owner's connection, which is ended if it stands in the way of the next one
	owner_backend_start timestamptz,
	last_batch          bigint,
	last_offset         bigint,           -- the last record booked, and a digest by which it is known again
	last_digest         bytea,
	last_event_time     timestamptz,
	records             bigint NOT NULL DEFAULT 0,  -- sums over its batches, so that looking costs nothing
	duplicates          bigint NOT NULL DEFAULT 0,
	set_aside           bigint NOT NULL DEFAULT 0,  -- quarantined and rejected
	end_offset          bigint,           -- as seen by the owner at seen_at: behind the last record ...
	stable_offset       bigint,           -- ... and behind the last one that no open transaction holds back
	stable_since        timestamptz,      -- since when records are held back there; null where none are
	seen_at             timestamptz,
	closed_at           timestamptz,
	closed_by           text,
	closed_because      text,
	CHECK (next_offset >= start_offset AND clear_offset >= next_offset)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX kafka_partition_open ON metering.kafka_partition (cluster, topic, partition) WHERE closed_at IS NULL;

-- What a batch took from each partition.
CREATE TABLE metering.batch_range (
	batch_id     bigint NOT NULL,
	partition_id bigint NOT NULL REFERENCES metering.kafka_partition,
	first_offset bigint NOT NULL,
	next_offset  bigint NOT NULL,
	records      bigint NOT NULL,  -- fewer than offsets where compaction or transactions left holes
	accepted     bigint NOT NULL,
	duplicates   bigint NOT NULL,
	ignored      bigint NOT NULL,
	quarantined  bigint NOT NULL,
	rejected     bigint NOT NULL,
	PRIMARY KEY (partition_id, first_offset),
	UNIQUE (batch_id, partition_id),
	CHECK (next_offset > first_offset AND records BETWEEN 1 AND next_offset - first_offset),
	CHECK (records = accepted + duplicates + ignored + quarantined + rejected)
);

-- A topic that is not what it was when its position was stored: reading stops until somebody has decided.
CREATE TABLE metering.kafka_incident (
	incident_id  bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	partition_id bigint NOT NULL REFERENCES metering.kafka_partition,
	kind         text NOT NULL CHECK (kind IN ('records_deleted', 'topic_shorter', 'topic_replaced', 'offset_out_of_range')),
	expected     bigint NOT NULL,  -- the offset that was to be there
	found        bigint NOT NULL,  -- what was there instead: log start, end, or the offset asked for
	seen_at      timestamptz NOT NULL,
	seen_by      text NOT NULL,
	UNIQUE (partition_id, kind, expected, found)
);

-- Of a quarantined message: key, and headers as name, value, name, value ...
ALTER TABLE metering.quarantine ADD COLUMN message_key bytea, ADD COLUMN message_headers bytea[];

DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['batch_range', 'kafka_incident']
	LOOP
		EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON metering.%I FOR EACH ROW EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON metering.%I FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER append_only', name);
		EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER append_only_truncate', name);
	END LOOP;
END $$;
-- A position moves, but is never lost.
CREATE TRIGGER never_deleted BEFORE DELETE ON metering.kafka_partition FOR EACH ROW EXECUTE FUNCTION metering.refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON metering.kafka_partition FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_change();
ALTER TABLE metering.kafka_partition ENABLE ALWAYS TRIGGER never_deleted;
ALTER TABLE metering.kafka_partition ENABLE ALWAYS TRIGGER append_only_truncate;
