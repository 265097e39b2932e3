#!/usr/bin/env bash
# The schema: made once, by one of several at a time; a program and a database that do not fit each other say so.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

tables() { sql "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname IN ('metering', 'finance') AND relkind IN ('r', 'p')"; }
applied() { sql 'SELECT count(*) FROM tollbook.migration'; }
wanted=$(find sql/migrations -name '*.sql' | wc -l)

new_database migrations
usage a ann 2026-10-20T10:00:00Z small 1 0 1 >"$room/usage.ndjson"
for verb in status 'quarantine list' 'prices list' 'tenant list' rate 'invoice list' reconcile; do
	# shellcheck disable=SC2086
	refused "before init, $verb says what to run" 4 'Run: tollbook init' tollbook $verb
done
refused "before init, ingest says what to run" 4 'Run: tollbook init' tollbook ingest "$room/usage.ndjson"
equal "none of them made anything" "$(tables)" 0
check "init makes the schema" tollbook init
equal "all of it" "$(applied)" "$wanted"
check "there are tables now" test "$(tables)" -ge 20
before=$(tables)
check "init again is fine" tollbook init
equal "and makes nothing more" "$(tables) $(applied)" "$before $wanted"
equal "meters are registered once each" "$(sql 'SELECT count(*) = count(DISTINCT name) AND count(*) >= 50 FROM metering.meter')" t

# A database that the program does not fit.
sql "CREATE TABLE kept AS TABLE tollbook.migration" >"$room/said"
restore() { sql "DELETE FROM tollbook.migration; INSERT INTO tollbook.migration TABLE kept"; }
column=$(sql "SELECT attname FROM pg_attribute WHERE attrelid = 'tollbook.migration'::regclass AND attname IN ('checksum', 'digest', 'sha256')")
check "a migration's checksum is recorded" test -n "$column"
sql "UPDATE tollbook.migration SET $column = repeat('0', 64) WHERE number = 1"
refused "a migration that was edited is refused by init" 4 'with another text' tollbook init
refused "and by every other verb" 4 'with another text' tollbook status
restore
sql "INSERT INTO tollbook.migration SELECT number + 100, '9999_later', $column, applied_at FROM tollbook.migration WHERE number = 1"
refused "a newer schema is refused by init" 4 'newer tollbook' tollbook init
refused "and by every other verb" 4 'newer tollbook' tollbook ingest "$room/usage.ndjson"
restore
sql "DELETE FROM tollbook.migration WHERE number = (SELECT max(number) FROM tollbook.migration)"
refused "an older schema is refused, with the remedy" 4 'Run: tollbook init' tollbook status
restore
check "restored, it is fine" tollbook status

# Several at once.
at_once() {
	local process processes=() code bad=0
	for process in 1 2 3 4; do
		tollbook init >"$room/init_$process" 2>&1 &
		processes+=($!)
	done
	for process in "${processes[@]}"; do
		code=0
		wait "$process" || code=$?
		[ $code = 0 ] || bad=1
	done
	[ $bad = 0 ] || { cat "$room"/init_?; return 1; }
}
for try in 1 2 3; do
	new_database "at_once_$try"
	check "four at once, try $try: all end well" at_once
	equal "and each migration is applied once, try $try" "$(applied) $(tables)" "$wanted $before"
done

# Killed on the way.
for delay in 0.02 0.04 0.06 0.09 0.12; do
	new_database "killed_$delay"
	tollbook init >"$room/said" 2>&1 &
	process=$!
	sleep $delay
	kill -9 "$process" 2>/dev/null
	wait "$process" 2>/dev/null
	check "init killed after $delay s, then run again" tollbook init
	equal "makes the whole schema, $delay s" "$(applied) $(tables)" "$wanted $before"
done

# --- a ledger of before the register was made of runs (0009) -------------------------------------------
# What the program of then would have left: the rows are those of a ledger of today, the identities are in the table of then.
calls() {
	awk -v from="$1" -v to="$2" -v output="${3:-1}" -v second="${4:-0}" 'BEGIN { for (i = from; i <= to; i++)
		printf "{\"idempotency_key\":\"k%d\",\"tenant\":\"ann\",\"time\":\"2026-%02d-20T10:%02d:%02dZ\",\"model\":\"small\",\"input_tokens\":%d,\"cached_input_tokens\":0,\"output_tokens\":%d}\n",
			i, 9 + i % 2, i % 60, second, i, output }'
}
{ calls 1 1500; event a ann 2026-10-20T10:00:00Z small 5 5; event b ann 2026-10-20T10:00:00Z small 7 7; correction a2 a ann 2026-10-20T10:00:00Z small 6 6; } >"$room/old.ndjson"
new_database today
tollbook init --quiet
equal "1,503 records are booked, of which one is a correction" "$(counts --batch-records 200 "$room/old.ndjson")" '1503 1503 0 0 0 0'
wanted_keys="SELECT count(*), md5(string_agg(row(event_id, content, event_time, batch_id)::text, ';' ORDER BY event_id)) FROM metering.usage_key"
keys=$(sql "$wanted_keys")
old_schema() {
	local file
	sql "$(cat sql/base/migration_schema.sql); $(cat sql/base/migration_table.sql)" || return 1
	for file in sql/migrations/000[1-8]_*.sql; do
		psql -X -q -1 -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -f "$file" || return 1
		sql "INSERT INTO tollbook.migration (number, name, $column, applied_at)
		     SELECT count(*) + 1, '$(basename "$file" .sql)', '$(sha256sum "$file" | cut -d' ' -f1)', now() FROM tollbook.migration" || return 1
	done
}
# copy_rows TABLE CONDITION: from the ledger of today, the columns that the table of then has.
copy_rows() {
	local columns
	columns=$(sql "SELECT string_agg(quote_ident(attname), ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'metering.$1'::regclass AND attnum > 0 AND NOT attisdropped")
	psql -X -q -v ON_ERROR_STOP=1 -d "${server/dbname=tollbook/dbname=today}" -c "COPY (SELECT $columns FROM metering.$1 WHERE $2) TO STDOUT" |
		psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -c "COPY metering.$1 ($columns) FROM STDIN"
}
old_rows() {
	local table
	sql "SELECT metering.ensure_month('2026-09-01'), metering.ensure_month('2026-10-01')" >"$room/said" || return 1
	for table in meter event_source usage_series source_position ingest_batch usage_correction usage_event; do copy_rows $table true || return 1; done
	sql "SELECT setval('metering.ingest_batch_id', max(batch_id)) FROM metering.ingest_batch;
	     SELECT setval(pg_get_serial_sequence('metering.source_position', 'position_id'), max(position_id)) FROM metering.source_position;
	     SELECT setval(pg_get_serial_sequence('metering.usage_series', 'series_id'), max(series_id)) FROM metering.usage_series;
	     SELECT setval(pg_get_serial_sequence('metering.event_source', 'event_source_id'), max(event_source_id)) FROM metering.event_source" >"$room/said" &&
		copy_rows usage_key 'batch_id < 8'
}
new_database then
check "a schema of before it is made" old_schema
check "and filled" old_rows
# The program of then is still at work: its last batch is written, and not committed.
psql -X -q -v ON_ERROR_STOP=1 -d "${server/dbname=tollbook/dbname=today}" -c 'COPY (SELECT * FROM metering.usage_key WHERE batch_id = 8) TO STDOUT' >"$room/last_batch"
{ echo "BEGIN; COPY metering.usage_key FROM STDIN;"; cat "$room/last_batch"; printf '\\.\nSELECT pg_sleep(1);\nCOMMIT;\n'; } |
	psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" >"$room/said" &
writer=$!
while [ "$(sql "SELECT count(*) FROM pg_locks WHERE relation = 'metering.usage_key'::regclass AND mode = 'RowExclusiveLock'")" = 0 ]; do sleep 0.05; done
check "init brings it to today's, behind the writer of then" tollbook init
wait $writer
equal "it has the identities that it had, each once" "$(sql "$wanted_keys")" "$keys"
equal "in a run of all 8 batches" "$(sql 'SELECT first_entry, last_entry, keys, filter_blocks FROM metering.key_run')" '1|8|1503|0'
equal "whose pages are full, but the last one" \
	"$(sql 'SELECT octet_length(keys) / 44, count(*) FROM metering.key_page GROUP BY 1 ORDER BY 1')" "3|1
60|25"
check "the books reconcile" tollbook reconcile --quiet
equal "what was booked then is a duplicate" "$(counts "$room/old.ndjson")" '1503 0 1503 0 0 0'
calls 1 10 2 >"$room/different.ndjson"
calls 11 20 1 30 >"$room/restamped.ndjson"
{ calls 1491 1510; correction b2 b ann 2026-10-20T10:00:00Z small 8 8; correction a3 a ann 2026-10-20T10:00:00Z small 9 9; } >"$room/new.ndjson"
equal "what says something else is a conflict" "$(counts "$room/different.ndjson")" '10 0 0 0 10 0'
equal "with another time it is a duplicate" "$(counts "$room/restamped.ndjson")" '10 0 10 0 0 0'
equal "what is new is booked, and a correction finds what it corrects; one of what is corrected already is set aside" \
	"$(counts "$room/new.ndjson")" '22 11 10 0 1 0'
equal "the old run has a filter now" "$(sql 'SELECT count(*) FROM metering.key_run WHERE keys = 1503 AND filter_blocks > 0')" 1
check "the books reconcile" tollbook reconcile --quiet
report
