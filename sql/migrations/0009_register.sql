-- The dedupe register becomes sorted runs of packed pages: every identity ever accepted, for ever, in 46 bytes instead of 117.
--
-- A batch that accepts events appends an entry and a run of its own.  Runs are merged from time to time into greater ones, which
-- changes where keys lie, and no key.  docs/design.md says how a batch finds out which of its identities are known.

-- The log that the register is: one row for each batch that accepted events, numbered 1, 2, 3 ... without a gap.  Who appends holds the
-- register's lock; the primary key is what refuses a second entry of a number.
-- token: by it a process knows that the entry is the one that it saw; after a restore the same number may be another batch's.
-- hash_sum: the sum over its keys of metering.key_hash(), by which a lost or changed key shows; ledger/key_sum.h is the same in C.
CREATE TABLE metering.register_entry (
	entry    bigint PRIMARY KEY CHECK (entry >= 1),
	batch_id bigint NOT NULL UNIQUE,
	keys     bigint NOT NULL CHECK (keys > 0),
	token    uuid NOT NULL DEFAULT gen_random_uuid(),
	hash_sum numeric(38,0) NOT NULL,
	CHECK (abs(hash_sum) <= keys * 9223372036854775808)
);

-- Sorted runs: at every commit they have the entries 1 to the last once each.  token: by it what was read of a run is known again, as an
-- entry's is; the run that a batch appends has its entry's.
CREATE TABLE metering.key_run (
	run           bigint PRIMARY KEY,
	token         uuid NOT NULL DEFAULT gen_random_uuid(),
	first_entry   bigint NOT NULL,
	last_entry    bigint NOT NULL,
	keys          bigint NOT NULL CHECK (keys > 0),
	first_batch   bigint NOT NULL,       -- the smallest one in it, which pages count batches from
	filter_blocks bigint NOT NULL CHECK (filter_blocks >= 0),  -- of 64 bytes; 0: it has no filter
	hash_sum      numeric(38,0) NOT NULL,  -- of its keys, as whoever wrote its pages summed it
	CHECK (1 <= first_entry AND first_entry <= last_entry),
	-- At the commit, because a merge stores the new run before the old ones go.
	CONSTRAINT key_run_entries_once EXCLUDE USING gist (int8range(first_entry, last_entry, '[]') WITH &&) DEFERRABLE INITIALLY DEFERRED
);
CREATE SEQUENCE metering.key_run_id AS bigint OWNED BY metering.key_run.run;

-- At most 60 keys of a run, in order of identity, packed: all identities (16 bytes each), then all content digests (16), then the times as first
-- stated (8: microseconds since 1970, signed), then the batches (4: less first_batch, unsigned), numbers with the highest byte first.  Three
-- pages fill a block; all of a run but its last are full.
CREATE TABLE metering.key_page (
	run      bigint NOT NULL,
	first_id uuid NOT NULL,
	keys     bytea NOT NULL,
	PRIMARY KEY (run, first_id),
	CHECK (octet_length(keys) BETWEEN 44 AND 2640 AND octet_length(keys) % 44 = 0 AND substr(keys, 1, 16) = uuid_send(first_id))
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
ALTER TABLE metering.key_page ALTER keys SET STORAGE PLAIN;

-- The filter of a run's identities (ledger/key_filter.h) in pieces of at most 1 MiB.
CREATE TABLE metering.key_filter (
	run   bigint NOT NULL,
	piece integer NOT NULL CHECK (piece >= 0),
	bits  bytea NOT NULL CHECK (octet_length(bits) BETWEEN 64 AND 1048576 AND octet_length(bits) % 64 = 0),
	PRIMARY KEY (run, piece)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE metering.key_filter ALTER bits SET STORAGE EXTERNAL;

CREATE FUNCTION metering.epoch_us(at timestamptz) RETURNS bigint IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT (extract(epoch FROM $1) * 1000000)::bigint
$$;
CREATE FUNCTION metering.key_hash(event_id uuid, content uuid, event_time timestamptz) RETURNS bigint IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT uuid_hash_extended($2, uuid_hash_extended($1, metering.epoch_us($3)))
$$;

-- --- the keys there are ----------------------------------------------------------------------------

-- A writer of the program before this one waits here or has ended: what it booked is moved, and it finds no table after it.
LOCK TABLE metering.usage_key IN ACCESS EXCLUSIVE MODE;

INSERT INTO metering.register_entry (entry, batch_id, keys, hash_sum)
SELECT row_number() OVER (ORDER BY batch_id), batch_id, count(*), sum(metering.key_hash(event_id, content, event_time))
  FROM metering.usage_key
 GROUP BY batch_id;

-- One run, a page at a time along the old primary key: nothing is sorted, and nothing is held in memory but the page.
DO $$
DECLARE
	new_run bigint;
	base bigint;
	last_id uuid;
	ids bytea;
	others bytea;
BEGIN
	IF (SELECT max(batch_id) - min(batch_id) FROM metering.register_entry) >= 4294967296 THEN
		RAISE EXCEPTION 'the register has batches too far from each other for one run';
	END IF;
	INSERT INTO metering.key_run (run, first_entry, last_entry, keys, first_batch, filter_blocks, hash_sum)
	SELECT nextval('metering.key_run_id'), min(entry), max(entry), sum(keys), min(batch_id), 0, sum(hash_sum) FROM metering.register_entry HAVING count(*) > 0
	RETURNING run, first_batch INTO new_run, base;
	IF new_run IS NULL THEN
		RETURN;
	END IF;
	SET LOCAL enable_seqscan = off;
	SET LOCAL enable_bitmapscan = off;
	SET LOCAL enable_sort = off;
	LOOP
		SELECT string_agg(uuid_send(k.event_id), ''),
		       string_agg(uuid_send(k.content), '') || string_agg(int8send(metering.epoch_us(k.event_time)), '') ||
		       string_agg(substr(int8send(k.batch_id - base), 5), '')
		  INTO ids, others
		  FROM (SELECT * FROM metering.usage_key
		         WHERE event_id >= COALESCE(last_id, '00000000-0000-0000-0000-000000000000') AND event_id IS DISTINCT FROM last_id
		         ORDER BY event_id LIMIT 60) k;
		EXIT WHEN ids IS NULL;
		INSERT INTO metering.key_page VALUES (new_run, encode(substr(ids, 1, 16), 'hex')::uuid, ids || others);
		last_id := encode(substr(ids, octet_length(ids) - 15), 'hex')::uuid;
	END LOOP;
	SET LOCAL enable_seqscan TO DEFAULT;
	SET LOCAL enable_bitmapscan TO DEFAULT;
	SET LOCAL enable_sort TO DEFAULT;
	IF (SELECT sum(octet_length(p.keys)) FROM metering.key_page p) IS DISTINCT FROM 44 * (SELECT count(*) FROM metering.usage_key) THEN
		RAISE EXCEPTION 'the new register does not have as many keys as the old one: nothing is changed';
	END IF;
END $$;
DROP TABLE metering.usage_key;

-- --- looking at it ---------------------------------------------------------------------------------

-- Parts of a page: an identity or content digest, a time, a batch; $2 is where it begins, from 0.
CREATE FUNCTION metering.page_uuid(keys bytea, at integer) RETURNS uuid IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT encode(substr($1, $2 + 1, 16), 'hex')::uuid
$$;
-- In days and microseconds, since an interval is multiplied as a floating-point number and one of microseconds alone would not be exact.
CREATE FUNCTION metering.page_time(keys bytea, at integer) RETURNS timestamptz IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT (timestamp '1970-01-01' + div(us, 86400000000) * interval '1 day' + mod(us, 86400000000) * interval '1 microsecond') AT TIME ZONE 'UTC'
	  FROM (SELECT ('x' || encode(substr($1, $2 + 1, 8), 'hex'))::bit(64)::bigint AS us) n
$$;
CREATE FUNCTION metering.page_batch(keys bytea, at integer) RETURNS bigint IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT ('x' || encode(substr($1, $2 + 1, 4), 'hex'))::bit(32)::bigint
$$;

-- All of it, a row for each identity: for people, tests and small ledgers.
CREATE VIEW metering.usage_key AS
	SELECT metering.page_uuid(p.keys, 16 * i) AS event_id, metering.page_uuid(p.keys, 16 * (n + i)) AS content,
	       metering.page_time(p.keys, 32 * n + 8 * i) AS event_time, r.first_batch + metering.page_batch(p.keys, 40 * n + 4 * i) AS batch_id
	  FROM metering.key_run r
	  JOIN metering.key_page p USING (run)
	 CROSS JOIN LATERAL (SELECT octet_length(p.keys) / 44 AS n) c
	 CROSS JOIN LATERAL generate_series(0, c.n - 1) AS i;

-- The same of these identities, through the index: in each run the one page that may have it.  What looks like the identity and begins
-- within another one is none.  A function that keeps its plan, not a view: no planner is to read the whole register for a few of them.
CREATE FUNCTION metering.usage_keys(ids uuid[]) RETURNS TABLE (event_id uuid, content uuid, event_time timestamptz, batch_id bigint)
	STABLE PARALLEL SAFE ROWS 1 LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT w.id, metering.page_uuid(p.keys, 16 * (n + i)), metering.page_time(p.keys, 32 * n + 8 * i),
	       r.first_batch + metering.page_batch(p.keys, 40 * n + 4 * i)
	  FROM (SELECT DISTINCT u.id FROM unnest($1) AS u (id)) w
	 CROSS JOIN metering.key_run r
	 CROSS JOIN LATERAL (
		SELECT g.keys FROM metering.key_page g WHERE g.run = r.run AND g.first_id <= w.id ORDER BY g.first_id DESC LIMIT 1) p
	 CROSS JOIN LATERAL (
		SELECT octet_length(p.keys) / 44 AS n, position(uuid_send(w.id) IN substr(p.keys, 1, octet_length(p.keys) / 44 * 16)) - 1 AS found) c
	 CROSS JOIN LATERAL (
		SELECT CASE WHEN found % 16 = 0 THEN found / 16
		            ELSE (SELECT min(s) FROM generate_series(0, n - 1) s WHERE metering.page_uuid(p.keys, 16 * s) = w.id) END AS i) a
	 WHERE found >= 0 AND i IS NOT NULL;
END $$;

CREATE OR REPLACE FUNCTION metering.original_context(correction uuid, at timestamptz) RETURNS text STABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT e.context
	  FROM metering.usage_correction c
	 CROSS JOIN LATERAL metering.usage_keys(ARRAY[c.original_event_id]) k
	  JOIN metering.usage_event e ON e.batch_id = k.batch_id AND e.event_id = k.event_id AND e.kind = 1 AND e.event_time = at
	 WHERE c.event_id = correction
$$;

-- --- nothing goes but by a merge -------------------------------------------------------------------

-- Runs go only together, and only where one run that stays has the same entries and all of their keys: as many in its pages as the entries
-- promise, and with their sum of hashes.  With them go their pages and filters, which nothing else may delete.  It asks what is there, not
-- who is asking: so there is nothing to pretend.
CREATE FUNCTION metering.refuse_lost_keys() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	old record;
	new_run metering.key_run;
	promised record;
	problem text;
BEGIN
	SELECT count(*) AS runs, min(first_entry) AS first_entry, max(last_entry) AS last_entry INTO old FROM gone;
	IF old.runs = 0 THEN
		RETURN NULL;
	END IF;
	SELECT * INTO new_run FROM metering.key_run r WHERE r.first_entry = old.first_entry AND r.last_entry = old.last_entry;
	SELECT count(*) AS entries, sum(e.keys) AS keys, sum(e.hash_sum) AS hash_sum INTO promised
	  FROM metering.register_entry e WHERE e.entry BETWEEN old.first_entry AND old.last_entry;
	problem := CASE
		WHEN new_run.run IS NULL THEN 'no run that stays has these entries'
		WHEN promised.entries <> (SELECT sum(g.last_entry - g.first_entry + 1) FROM gone g) THEN 'they are not all that have these entries'
		WHEN new_run.keys IS DISTINCT FROM promised.keys OR new_run.hash_sum IS DISTINCT FROM promised.hash_sum
			THEN 'the run that stays has other keys'
		WHEN 44 * new_run.keys IS DISTINCT FROM (SELECT sum(octet_length(p.keys)) FROM metering.key_page p WHERE p.run = new_run.run)
			THEN 'the pages of the run that stays have another number of keys'
		WHEN 64 * new_run.filter_blocks <> (SELECT COALESCE(sum(octet_length(f.bits)), 0) FROM metering.key_filter f WHERE f.run = new_run.run)
			THEN 'the run that stays lacks a part of its filter' END;
	IF problem IS NOT NULL THEN
		RAISE EXCEPTION 'metering.key_run is append-only: DELETE is refused'
			USING ERRCODE = 'restrict_violation',
			      DETAIL = format('Of entries %s to %s: %s.', old.first_entry, old.last_entry, problem),
			      HINT = 'Runs go only where a merge has put all their keys into another one.';
	END IF;
	DELETE FROM metering.key_page p USING gone g WHERE p.run = g.run;
	DELETE FROM metering.key_filter f USING gone g WHERE f.run = g.run;
	RETURN NULL;
END $$;
CREATE TRIGGER keys_are_kept AFTER DELETE ON metering.key_run REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_lost_keys();
ALTER TABLE metering.key_run ENABLE ALWAYS TRIGGER keys_are_kept;

-- The end of a merge, whose pages and filter are stored: the new run takes the place of the old ones.  Gives its token.
CREATE FUNCTION metering.merge_done(new_run bigint, old_runs bigint[], blocks bigint, hash_sum numeric) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
	deleted bigint;
	new_token uuid;
BEGIN
	INSERT INTO metering.key_run (run, first_entry, last_entry, keys, first_batch, filter_blocks, hash_sum)
	SELECT $1, min(r.first_entry), max(r.last_entry), sum(r.keys), min(r.first_batch), $3, $4 FROM metering.key_run r WHERE r.run = ANY ($2)
	RETURNING token INTO new_token;
	DELETE FROM metering.key_run r WHERE r.run = ANY ($2);
	GET DIAGNOSTICS deleted = ROW_COUNT;
	IF deleted <> cardinality($2) THEN
		RAISE EXCEPTION 'of % runs that were merged, % are there: another process merged them', cardinality($2), deleted
			USING ERRCODE = 'serialization_failure';
	END IF;
	RETURN new_token;
END $$;

DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['register_entry', 'key_run', 'key_page', 'key_filter'] LOOP
		-- pg_trigger_depth(): pages and filters go with their run, by its trigger; at the top level, never.  Not for each row: that locks
		-- each one before it goes, which is half of the cost of deleting it.
		EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE%s ON metering.%I FOR EACH %s EXECUTE FUNCTION metering.refuse_change()',
			CASE name WHEN 'key_run' THEN '' ELSE ' OR DELETE' END, name,
			CASE WHEN name IN ('register_entry', 'key_run') THEN 'ROW' ELSE 'STATEMENT WHEN (pg_trigger_depth() = 0)' END);
		EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER append_only', name);
		EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON metering.%I FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER append_only_truncate', name);
		EXECUTE format('CREATE TRIGGER fenced BEFORE INSERT OR UPDATE OR DELETE ON metering.%I FOR EACH STATEMENT
			WHEN (current_setting(''tollbook.fence'', true) <> '''') EXECUTE FUNCTION finance.refuse_fenced()', name);
		EXECUTE format('ALTER TABLE metering.%I ENABLE ALWAYS TRIGGER fenced', name);
	END LOOP;
END $$;
