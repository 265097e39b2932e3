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
report
