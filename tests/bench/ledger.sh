#!/usr/bin/env bash
# From a file into the ledger, beside the limit: a binary COPY of the same rows into a table without an index.  Both are measured in
# turn, in the same run, and what counts is the median of the rounds.
#   BENCH_EVENTS      events, 2000000 where it is not set; 1 in 100 of them comes twice.  Some 1,500 bytes an event are needed below TMPDIR.
#   BENCH_RUNS        rounds, 3 where it is not set
set -euo pipefail
cd "$(dirname "$0")/../.."
events=${BENCH_EVENTS:-2000000}
BUILD=${BUILD:-build}
. tests/support/server.sh
. tests/bench/results.sh

"$tools/generate" "$events" 10 --odd >"$room/usage.ndjson"
lines=$(wc -l <"$room/usage.ndjson")
echo "$(uname -m), $(nproc) cores, PostgreSQL $(psql -X -A -t -d "$server" -c 'SHOW server_version' | cut -d ' ' -f 1), $lines records"

rates=() limits=() ratios=() agains=() known=()
for ((round = 1; round <= runs; round++)); do
	new_database "ledger$round"
	tollbook init --quiet >/dev/null
	sql CHECKPOINT
	timed tollbook ingest "$room/usage.ndjson" --as-of 2026-11-02 --quiet
	rates+=("$(per_second "$lines" "$wall")") ingest=$wall client=$((user + system)) server_ms=$served ingest_wal=$wal ingest_peak=$peak
	rows=$(sql 'SELECT count(*) FROM metering.usage_event')
	table=$(sql "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE relnamespace = 'metering'::regnamespace AND relkind = 'r'")

	# The same rows, from a file that is ready for it.
	[ -f "$room/rows.bin" ] || psql -X -q -d "$TOLLBOOK_DB" -c 'COPY (SELECT * FROM metering.usage_event) TO STDOUT (FORMAT binary)' >"$room/rows.bin"
	sql 'CREATE TABLE public.bare (LIKE metering.usage_event)' && sql CHECKPOINT
	timed psql -X -q -d "$TOLLBOOK_DB" -c '\copy public.bare FROM '"$room/rows.bin"' (FORMAT binary)'
	limits+=("$(per_second "$rows" "$wall")") bare=$(sql "SELECT pg_relation_size('public.bare')") bare_wal=$wal bare_ms=$served
	ratios+=("$(ratio "$(per_second "$lines" "$ingest")" "$(per_second "$rows" "$wall")")")
	sql 'DROP TABLE public.bare'

	# Everything again: what a retry of a whole day costs.
	sql CHECKPOINT
	timed tollbook ingest "$room/usage.ndjson" --as-of 2026-11-02 --quiet
	agains+=("$(per_second "$lines" "$wall")") known_client=$((user + system)) known_server=$served
	known+=("$(sql 'SELECT count(*) FROM metering.usage_event')")
	[ "${known[-1]}" = "$rows" ] || { echo 'the second time booked something'; exit 1; }
	psql -X -q -d "$server" -c "DROP DATABASE ledger$round"
done
fact ledger_limit "$(median "${limits[@]}")" rows/s 'binary COPY of the rows into a table without an index (the limit)'
fact ledger_rate "$(median "${rates[@]}")" events/s 'file to ledger: tollbook ingest' '>= 200000'
fact ledger_ratio "$(median "${ratios[@]}")" '' 'file to ledger, of the limit' '>= 0.45'
fact ledger_known_rate "$(median "${agains[@]}")" events/s 'file to ledger, all of it known already'
fact ledger_known_us "$(ratio $(((known_client + known_server) * 1000)) "$lines")" us/event 'CPU of tollbook and PostgreSQL for what is known already'
fact ledger_client_us "$(ratio $((client * 1000)) "$lines")" us/event 'CPU of tollbook'
fact ledger_server_us "$(ratio $((server_ms * 1000)) "$lines")" us/event 'CPU of PostgreSQL'
fact ledger_limit_server_us "$(ratio $((bare_ms * 1000)) "$rows")" us/row 'CPU of PostgreSQL for the limit'
fact ledger_wal "$(ratio "$ingest_wal" "$rows")" B/event 'WAL'
fact ledger_limit_wal "$(ratio "$bare_wal" "$rows")" B/row 'WAL of the limit'
fact ledger_bytes "$(ratio "$table" "$rows")" B/event 'tables, indexes, register and all, in the database'
fact ledger_row_bytes "$(ratio "$bare" "$rows")" B/row 'the plain row'
fact ledger_bytes_ratio "$(ratio "$table" "$bare")" '' 'bytes in the database, of the plain row' '<= 1.3'
fact ledger_peak $((ingest_peak / 1024)) MiB 'file to ledger, peak memory of tollbook' '<= 512'
