-- What is in the books, as one line for each table: its name, how many rows, and what they come to.  Numbers that say only what was written
-- first are replaced by what they stand for, and what the clock said when a night was really run is left out: books that come to the same were
-- written by the same decisions.
--   psql -v tables=REGEXP    only tables whose name it matches, with their schema: "metering.*"; the default is all
--   psql -v rows=1           the rows themselves instead, to see where two differ
\set QUIET on
SET client_min_messages = warning;
SET TimeZone = 'UTC';
\if :{?tables} \else \set tables '.*' \endif
\if :{?rows} \else \set rows 0 \endif

CREATE TEMP TABLE known (kind text, id bigint, name text);
INSERT INTO known
SELECT 'position', position_id, concat_ws(' ', kind, name, opened_at) FROM metering.source_position UNION ALL
SELECT 'partition', partition_id, concat_ws(' ', topic, partition) FROM metering.kafka_partition UNION ALL
SELECT 'series', series_id, digest::text FROM metering.usage_series UNION ALL
SELECT 'event_source', event_source_id, name FROM metering.event_source UNION ALL
SELECT 'contract', contract_id, concat_ws(' ', tenant, effective, row_number() OVER (PARTITION BY tenant, effective ORDER BY contract_id)) FROM finance.contract UNION ALL
SELECT 'book_version', price_book_version_id, concat_ws(' ', book, version) FROM finance.price_book_version UNION ALL
SELECT 'invoice', invoice_id, concat_ws(' ', tenant, period, kind, status, number, drafted_at) FROM finance.invoice UNION ALL
SELECT 'credit_note', credit_note_id, concat_ws(' ', number, request_id) FROM finance.credit_note UNION ALL
SELECT 'grant', grant_id, request_id FROM finance.credit_grant UNION ALL
SELECT 'parked', parked_id, concat_ws(' ', tenant, period, reason, parked_at, row_number() OVER (PARTITION BY tenant, period, reason, parked_at ORDER BY parked_id)) FROM finance.parked UNION ALL
SELECT 'payment', payment_id, reference FROM finance.payment;
INSERT INTO known SELECT 'batch', b.batch_id, concat_ws(' ', k.name, b.first_record) FROM metering.ingest_batch b JOIN known k ON k.kind = 'position' AND k.id = b.position_id;
INSERT INTO known SELECT 'batch', b.batch_id, concat_ws(' ', b.first_position, b.first_event_time) FROM metering.ingest_batch b WHERE NOT EXISTS (SELECT FROM known k WHERE k.kind = 'batch' AND k.id = b.batch_id);
INSERT INTO known SELECT 'quarantine', q.quarantine_id, concat_ws(' ', k.name, q.record) FROM metering.quarantine q JOIN known k ON k.kind = 'batch' AND k.id = q.batch_id;
INSERT INTO known SELECT 'entry', e.entry_id, concat_ws(' ', k.name, e.place) FROM finance.credit_entry e JOIN known k ON k.kind = 'grant' AND k.id = e.grant_id;
CREATE INDEX ON known (kind, id);
ANALYZE known;

-- Which columns are numbers of what.
CREATE TEMP TABLE stands_for (name text PRIMARY KEY, kind text);
INSERT INTO stands_for VALUES ('position_id', 'position'), ('partition_id', 'partition'), ('series_id', 'series'), ('event_source_id', 'event_source'),
	('contract_id', 'contract'), ('contracted_with', 'contract'), ('price_book_version_id', 'book_version'),
	('priced_with', 'book_version'), ('invoice_id', 'invoice'), ('credit_note_id', 'credit_note'), ('grant_id', 'grant'), ('parked_id', 'parked'),
	('payment_id', 'payment'), ('batch_id', 'batch'), ('last_batch', 'batch'), ('quarantine_id', 'quarantine'), ('entry_id', 'entry');
-- Which are left out: table, column; '' for all tables.
CREATE TEMP TABLE left_out (relation text, name text);
INSERT INTO left_out VALUES ('', 'sealed'), ('', 'audit_id'), ('', 'lock_id'), ('', 'incident_id'),  -- seals are of numbers, too
	-- so are the digests of batches, which tollbook reconcile checks
	('metering.ingest_batch', 'digest'), ('metering.ingest_batch', 'previous_digest'), ('metering.source_position', 'last_digest'),
	('metering.kafka_partition', 'last_digest'),
	('metering.register_entry', 'entry'), ('metering.register_entry', 'token'),
	('finance.balance_entry', 'entry_id'),
	('finance.night_run', 'attempts'), ('finance.night_run', 'read_at'), ('finance.night_run', 'ended_at'), ('finance.night_run', 'manifest'),
	('finance.night_step', 'started_at'), ('finance.night_step', 'ended_at'),
	('finance.night_fence', 'fence'), ('finance.night_fence', 'backend'), ('finance.night_fence', 'backend_start'),
	('metering.kafka_partition', 'owner_epoch'), ('metering.kafka_partition', 'owner'), ('metering.kafka_partition', 'owner_backend'),
	('metering.kafka_partition', 'owner_backend_start'), ('metering.kafka_partition', 'seen_at'), ('metering.kafka_partition', 'stable_since');

CREATE TEMP TABLE shown (relation text, rows bigint, digest text);
CREATE TEMP TABLE fact (relation text, fact text);
SELECT set_config('books.rows', :'rows', false), set_config('books.tables', :'tables', false) \g /dev/null
DO $$
DECLARE
	of record;
	question text;
BEGIN
	FOR of IN
		SELECT format('%s.%s', n.nspname, c.relname) AS relation,
		       string_agg(CASE WHEN s.kind IS NULL THEN format('t.%I', a.attname) ELSE format('COALESCE(k%s.name, t.%I::text)', a.attnum, a.attname) END,
		                  ', ' ORDER BY a.attnum) AS facts,
		       string_agg(CASE WHEN s.kind IS NOT NULL THEN format(' LEFT JOIN known k%1$s ON k%1$s.kind = %2$L AND k%1$s.id = t.%3$I', a.attnum, s.kind, a.attname) END,
		                  '' ORDER BY a.attnum) AS joins
		  FROM pg_class c
		  JOIN pg_namespace n ON n.oid = c.relnamespace
		  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		  LEFT JOIN stands_for s ON s.name = a.attname
		   AND (n.nspname || '.' || c.relname, a.attname) NOT IN (VALUES ('finance.balance_entry', 'entry_id'))
		 WHERE n.nspname IN ('metering', 'finance') AND NOT c.relispartition
		   -- Of the register what it says, not how its runs were merged.
		   AND (c.relkind IN ('r', 'p') AND c.relname NOT IN ('key_run', 'key_page', 'key_filter') OR c.relname = 'usage_key')
		   AND (n.nspname || '.' || c.relname) ~ ('^(' || current_setting('books.tables') || ')$')
		   AND NOT EXISTS (SELECT FROM left_out l WHERE l.relation IN ('', n.nspname || '.' || c.relname) AND l.name = a.attname)
		 GROUP BY n.nspname, c.relname
	LOOP
		IF of.relation = 'finance.night_run' THEN
			of.facts := of.facts || ', t.manifest::json->>''digest''';
		END IF;
		question := format('SELECT row(%s)::text AS fact FROM %s t%s', of.facts, of.relation, of.joins);
		IF current_setting('books.rows') = '1' THEN
			EXECUTE format('INSERT INTO fact SELECT %L, fact FROM (%s) f', of.relation, question);
		ELSE
			EXECUTE format('INSERT INTO shown SELECT %L, count(*), md5(string_agg(digest, '''' ORDER BY digest)) FROM (SELECT md5(fact) AS digest FROM (%s) f) d', of.relation, question);
		END IF;
	END LOOP;
END $$;
SELECT relation, rows, digest FROM shown ORDER BY relation COLLATE "C";
SELECT relation, fact FROM fact ORDER BY relation COLLATE "C", fact COLLATE "C";
