-- The ledger on several machines, with the Citus extension: `tollbook init --citus` distributes its rows, and nothing else.

-- True where the rows of the ledger are spread over the machines of a Citus cluster.
CREATE FUNCTION metering.ledger_is_distributed() RETURNS boolean STABLE LANGUAGE plpgsql AS $$
DECLARE
	answer boolean;
BEGIN
	IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
		RETURN false;
	END IF;
	EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = ''metering.usage_event''::regclass)' INTO answer;
	RETURN answer;
END $$;

-- The ledger rows, usage and reversals, that these identities booked; with the second argument only those at the time that the register has,
-- which is where usage is, and nearly no correction.  A function that asks for each batch by itself: the rows of a batch lie together, and
-- statements about some events have no distributed table in them, which the planner of Citus would take apart into subplans.
CREATE FUNCTION metering.booked_rows(ids uuid[], at_own_time boolean DEFAULT false) RETURNS SETOF metering.usage_event STABLE ROWS 2 LANGUAGE plpgsql AS $$
DECLARE
	known record;
BEGIN
	FOR known IN SELECT k.batch_id, array_agg(k.event_id) AS ids, min(k.event_time) AS first, max(k.event_time) AS last
	               FROM metering.usage_keys($1) k GROUP BY k.batch_id ORDER BY k.batch_id LOOP
		IF $2 THEN
			RETURN QUERY SELECT e.* FROM metering.usage_event e
			 WHERE e.batch_id = known.batch_id AND e.event_id = ANY (known.ids) AND e.event_time BETWEEN known.first AND known.last;
		ELSE
			RETURN QUERY SELECT e.* FROM metering.usage_event e WHERE e.batch_id = known.batch_id AND e.event_id = ANY (known.ids);
		END IF;
	END LOOP;
END $$;

-- Of these batches, those whose header is there and whose rows are not all to be seen.  Such a batch is a commit on several machines that
-- has reached some of them: the others follow, by themselves, also after a crash.  On one machine there is none, and nothing is read.
CREATE FUNCTION metering.half_done(batches bigint[]) RETURNS TABLE (batch_id bigint, ledger_rows bigint, seen bigint)
	STABLE ROWS 1 LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	first bigint;
	last bigint;
BEGIN
	SELECT min(b), max(b) INTO first, last FROM unnest($1) AS b;
	IF first IS NULL OR NOT metering.ledger_is_distributed() THEN
		RETURN;
	END IF;
	RETURN QUERY
	SELECT b.batch_id, b.ledger_rows, COALESCE(e.rows, 0) + COALESCE(a.rows, 0)
	  FROM metering.ingest_batch b
	  LEFT JOIN (SELECT u.batch_id, count(*) AS rows FROM metering.usage_event u WHERE u.batch_id BETWEEN first AND last GROUP BY u.batch_id) e USING (batch_id)
	  LEFT JOIN (SELECT t.batch_id, sum(t.rows)::bigint AS rows FROM metering.archived_batch t JOIN metering.archive_out USING (archive_id) GROUP BY t.batch_id) a
	    USING (batch_id)
	 WHERE b.batch_id = ANY ($1) AND b.ledger_rows <> COALESCE(e.rows, 0) + COALESCE(a.rows, 0);
END $$;

-- Batches that a distributed ledger has rows of and that have no header.  First the rows are read and then the headers, each as of now: a
-- batch that is booked meanwhile has its header when its rows are to be seen.
CREATE FUNCTION metering.rows_without_header() RETURNS TABLE (batch_id bigint) VOLATILE LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	booked bigint[];
BEGIN
	IF metering.ledger_is_distributed() THEN
		SELECT array_agg(e.batch_id) INTO booked FROM (SELECT u.batch_id FROM metering.usage_event u GROUP BY u.batch_id) e;
		RETURN QUERY SELECT b FROM unnest(booked) AS b WHERE b NOT IN (SELECT h.batch_id FROM metering.ingest_batch h);
	END IF;
END $$;

-- Distributes the ledger's rows by identity, once: an event, its reversal, and what a correction asks about it are on one machine.  The rows
-- that are there are moved.  Triggers on distributed tables are what Citus calls unsafe, since they see one shard: those of the ledger refuse
-- changes, or do nothing on another machine, and look at no other row.
CREATE FUNCTION metering.distribute_ledger(shards integer) RETURNS TABLE (is_new boolean, shards_made bigint, machines bigint, ledger_rows bigint) LANGUAGE plpgsql AS $$
DECLARE
	part regclass;
	before bigint;
	incomplete bigint;
	after bigint;
BEGIN
	is_new := NOT metering.ledger_is_distributed();
	IF is_new THEN
		LOCK TABLE metering.ingest_batch IN SHARE ROW EXCLUSIVE MODE;
		SELECT count(*), count(*) FILTER (WHERE kind = 2 AND context IS NULL AND metering.original_context(event_id, event_time) IS NOT NULL)
		  INTO before, incomplete FROM metering.usage_event;
		IF incomplete > 0 THEN
			RAISE EXCEPTION 'the ledger has % reversals that were written before 0004_request_classes.sql, without the context of their originals: it cannot be distributed',
				incomplete USING ERRCODE = 'feature_not_supported';
		END IF;
		PERFORM set_config('citus.enable_unsafe_triggers', 'on', true);
		-- There are no reversals that it would have to look further for, and beside a shard it could not.
		CREATE OR REPLACE FUNCTION metering.original_context(correction uuid, at timestamptz) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
			'SELECT NULL::text';
		EXECUTE 'SELECT create_distributed_function(''metering.original_context(uuid, timestamptz)'')';
		EXECUTE 'SELECT create_distributed_table(''metering.usage_event'', ''event_id'', shard_count := $1, colocate_with := ''none'')' USING $1;
		-- What was copied to the shards is still in the tables here, where nothing reads it.
		PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
		FOR part IN SELECT 'metering.usage_event'::regclass UNION ALL SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = 'metering.usage_event'::regclass LOOP
			EXECUTE format('ALTER TABLE %s DISABLE TRIGGER append_only_truncate', part);
		END LOOP;
		EXECUTE 'SELECT truncate_local_data_after_distributing_table(''metering.usage_event'')';
		PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
		FOR part IN SELECT 'metering.usage_event'::regclass UNION ALL SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = 'metering.usage_event'::regclass LOOP
			EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER append_only_truncate', part);
		END LOOP;
		PERFORM set_config('citus.enable_ddl_propagation', 'on', true);
		SELECT count(*) INTO after FROM metering.usage_event;
		IF before <> after THEN
			RAISE EXCEPTION 'the ledger has % rows, and % of them were distributed: nothing is changed', before, after;
		END IF;
	END IF;
	EXECUTE 'SELECT count(DISTINCT s.shardid), count(DISTINCT p.groupid)
	           FROM pg_catalog.pg_dist_shard s JOIN pg_catalog.pg_dist_placement p USING (shardid)
	          WHERE s.logicalrelid = ''metering.usage_event''::regclass' INTO shards_made, machines;
	SELECT count(*) INTO ledger_rows FROM metering.usage_event;
	RETURN NEXT;
END $$;
