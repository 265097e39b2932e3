#!/usr/bin/env bash
# Does the next million cost more when more lies there already?  The ledger grows a million events at a time; of each million is kept
# what it took, in build/bench/flat.csv, and build/bench/flat.svg shows it.  Beside it, first, the design of before: a register that is
# one table with one primary key, by COPY of sorted keys and of ledger rows in the same batches, with no parsing and nothing else.
#   BENCH_FLAT        events, 20000000 where it is not set, spread over the six months up to October 2026; 1 in 100 comes twice
#   BENCH_FLAT_OLD    how far the design of before is measured, 20000000 where it is not set; 0: not at all
#   BENCH_FLAT_HOME   a folder for the database, tollbook-flat in TMPDIR where it is not set.  Some 250 bytes an event are needed there,
#                     300 for the design of before, which is dropped when it is measured, and 10 GB for WAL and the million at hand.
#   BENCH_FLAT_UPTO   ends there, with what was found so far; later it can go on from there
#   BENCH_FLAT_RATE   every so many millions are rated, 1 where it is not set; 0: none
#   BENCH_FLAT_KEEP   1: the database stays when all is done
# After an interrupt it goes on behind the last whole million; the first one after that is marked in the CSV and left out of the picture.
set -euo pipefail
cd "$(dirname "$0")/../.."
events=${BENCH_FLAT:-20000000}
old_events=${BENCH_FLAT_OLD:-20000000}
folder=${BENCH_FLAT_HOME:-${TMPDIR:-/tmp}/tollbook-flat}
step=${BENCH_FLAT_STEP:-1000000}
batch=100000
upto=${BENCH_FLAT_UPTO:-$events}
rate_every=${BENCH_FLAT_RATE:-1}
mkdir -p "$folder"
chmod 711 "$folder"
home=$folder/home
BUILD=${BUILD:-build}
. tests/support/server.sh
. tests/bench/results.sh
csv=$folder/flat.csv
old_csv=$folder/flat_old.csv

there() { psql -X -A -t -d "$server" -c "SELECT count(*) FROM pg_database WHERE datname = '$1'"; }
enough_room() {
	local free
	free=$(df --output=avail -B 1000000000 "$folder" | tail -n 1)
	[ "$free" -ge 4 ] && return
	echo "only $free GB are free in $folder; make room and call it again, it goes on" >&2
	exit 1
}
# Intervals are what rating makes of it.
table_bytes() { sql "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c WHERE relnamespace = '$1'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'usage_interval%'"; }
steps_done() { [ -f "$1" ] && echo $(($(wc -l <"$1") - 1)) || echo 0; }
kept() { local file; for file in "$csv" "$old_csv"; do [ ! -f "$file" ] || cp "$file" build/bench/; done; }

# --- the design of before ----------------------------------------------------------------------------

old_begin() {
	new_database flat_old
	tollbook init --quiet >/dev/null
	"$tools/generate" "$batch" >"$folder/batch.ndjson"
	tollbook ingest "$folder/batch.ndjson" --as-of 2026-11-02 --quiet >/dev/null
	psql -X -q -d "$TOLLBOOK_DB" -c 'COPY (SELECT * FROM metering.usage_event) TO STDOUT (FORMAT binary)' >"$folder/rows.bin"
	rm "$folder/batch.ndjson"
	sql 'CREATE SCHEMA old'
	sql 'CREATE TABLE old.usage_key (event_id uuid PRIMARY KEY, content uuid NOT NULL, event_time timestamptz NOT NULL, batch_id bigint NOT NULL)'
	sql 'CREATE TABLE old.usage_event (LIKE metering.usage_event)'
	sql 'CREATE INDEX ON old.usage_event USING brin (batch_id) WITH (pages_per_range = 32)'
	sql 'CREATE INDEX ON old.usage_event USING brin (event_time) WITH (pages_per_range = 32)'
	echo 'events,milliseconds,server_milliseconds,wal_bytes,table_bytes,note' >"$old_csv"
}
old_step() {
	local part
	"$tools/old_register" "$(($1 * step))" "$step" "$batch" "$folder/keys"
	for ((part = 0; part * batch < step; part++)); do
		printf '%s\n' BEGIN\; "\\copy old.usage_key FROM '$folder/keys.$part' (FORMAT binary)" \
			"\\copy old.usage_event FROM '$folder/rows.bin' (FORMAT binary)" COMMIT\;
	done >"$folder/step.sql"
	timed psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -f "$folder/step.sql"
	echo "$((($1 + 1) * step)),$wall,$served,$wal,$(table_bytes old)," >>"$old_csv"
	rm "$folder"/keys.*
}
old_design() {
	local done
	done=$(steps_done "$old_csv")
	[ $((done * step)) -lt "$old_events" ] || return 0
	# A half of a million cannot be gone on with: its keys are there already.
	[ "$(there flat_old)" = 0 ] || psql -X -q -d "$server" -c 'DROP DATABASE flat_old'
	old_begin
	for ((done = 0; done * step < old_events; done++)); do
		enough_room
		old_step "$done"
		kept
	done
	psql -X -q -d "$server" -c 'DROP DATABASE flat_old'
}

# --- the ledger ----------------------------------------------------------------------------------------

begin() {
	rm -f "$csv"
	new_database flat
	tollbook init --quiet >/dev/null
	for book in "$top"/examples/prices/public-*.json; do tollbook prices publish "$book" --quiet >/dev/null; done
	tollbook tenant apply "$top/examples/tenants.json" --quiet >/dev/null
	echo 'events,milliseconds,client_milliseconds,server_milliseconds,wal_bytes,table_bytes,register_bytes,runs,peak_kib,rate_milliseconds,note' >"$csv"
}
facts_of_register() { sql "SELECT (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE relnamespace = 'metering'::regnamespace AND relname LIKE 'key\\_%' AND relkind = 'r') || ' ' || (SELECT count(*) FROM metering.key_run)"; }
ledger_step() {
	local ingest register run_count line
	"$tools/generate" "$step" 10 --odd --from "$(($1 * step))" --of "$events" --days 184 >"$folder/usage.ndjson"
	timed tollbook ingest "$folder/usage.ndjson" --as-of 2026-11-02 --quiet
	read -r register run_count < <(facts_of_register)
	line="$((($1 + 1) * step)),$wall,$((user + system)),$served,$wal,$(table_bytes metering),$register,$run_count,$peak"
	wall=
	[ "$rate_every" = 0 ] || [ $((($1 + 1) % rate_every)) != 0 ] || timed tollbook rate --as-of 2026-11-02 --quiet
	echo "$line,$wall,$2" >>"$csv"
	tail -n 1 "$csv"
}

[ "$old_events" = 0 ] || old_design
note=''
if [ "$(there flat)" = 1 ] && [ -f "$csv" ]; then
	use_database flat
	note=resumed
else
	[ "$(there flat)" = 0 ] || psql -X -q -d "$server" -c 'DROP DATABASE flat'
	begin
fi
for ((done = $(steps_done "$csv"); done * step < upto; done++)); do
	enough_room
	ledger_step "$done" "$note"
	note=''
	kept
done
kept

# The oldest million once more: all of it is known, and lies in the largest runs.
"$tools/generate" "$step" 0 --odd --of "$events" --days 184 >"$folder/usage.ndjson"
before=$(sql 'SELECT sum(accepted) FROM metering.ingest_batch')
timed tollbook ingest "$folder/usage.ndjson" --as-of 2026-11-02 --quiet
known=$(per_second "$step" "$wall")
[ "$(sql 'SELECT sum(accepted) FROM metering.ingest_batch')" = "$before" ] || { echo 'the oldest million was booked again'; exit 1; }
rm "$folder/usage.ndjson"

# Milliseconds of the middle one of five millions, at the beginning and at the end, without those that an interrupt spoiled.
middle_of() { awk -F , -v column="$2" 'NR > 1 && $NF == "" && $column != "" { print $column }' "$1" | "$3" -n 5 | sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
# Microseconds of client and server, of those five in the middle.
cpu_of() { awk -F , 'NR > 1 && $NF == "" { print ($3 + $4) * 1000 }' "$csv" | "$1" -n 5 | sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
first=$(middle_of "$csv" 2 head) last=$(middle_of "$csv" 2 tail)
reached=$(tail -n 1 "$csv" | cut -d , -f 1)
fact flat_events "$reached" events 'the ledger has grown to'
fact flat_first "$(per_second "$step" "$first")" events/s 'file to ledger, the first five millions (the middle one)'
fact flat_last "$(per_second "$step" "$last")" events/s 'file to ledger, the last five millions (the middle one)'
fact flat_ratio "$(ratio "$first" "$last")" '' 'speed at the end, of that at the beginning' '>= 0.7'
fact flat_known "$known" events/s 'the oldest million once more, all of it known already'
fact flat_cpu_first "$(ratio "$(cpu_of head)" "$step")" us/event 'CPU of tollbook and PostgreSQL, first five millions'
fact flat_cpu_last "$(ratio "$(cpu_of tail)" "$step")" us/event 'CPU of tollbook and PostgreSQL, last five millions'
fact flat_bytes "$(ratio "$(tail -n 1 "$csv" | cut -d , -f 6)" "$reached")" B/event 'tables, indexes, register and all, in the database'
fact flat_register_bytes "$(ratio "$(tail -n 1 "$csv" | cut -d , -f 7)" "$reached")" B/event 'of that the register'
plain=$(sql "SELECT sum(pg_relation_size(c.oid)) FROM pg_class c WHERE relnamespace = 'metering'::regnamespace AND relkind = 'r' AND relname LIKE 'usage\_event\_%'")
fact flat_bytes_ratio "$(ratio "$(tail -n 1 "$csv" | cut -d , -f 6)" "$plain")" '' 'bytes in the database, of the plain rows' '<= 1.3'
fact flat_runs "$(tail -n 1 "$csv" | cut -d , -f 8)" runs 'runs of the register'
fact flat_wal "$(ratio "$(awk -F , 'NR > 1 { sum += $5 } END { printf "%.0f", sum }' "$csv")" "$reached")" B/event 'WAL'
fact flat_peak $(($(awk -F , 'NR > 1 && $9 > most { most = $9 } END { print most }' "$csv") / 1024)) MiB 'peak memory of tollbook' '<= 512'
[ "$rate_every" != 1 ] || fact flat_rate_first "$(middle_of "$csv" 10 head)" ms 'rating a million, of the first five'
[ "$rate_every" != 1 ] || fact flat_rate_last "$(middle_of "$csv" 10 tail)" ms 'rating a million, of the last five'
if [ -f "$old_csv" ]; then
	fact flat_old_events "$(tail -n 1 "$old_csv" | cut -d , -f 1)" events 'the design of before has grown to'
	fact flat_old_ratio "$(ratio "$(middle_of "$old_csv" 2 head)" "$(middle_of "$old_csv" 2 tail)")" '' 'its speed at the end, of that at the beginning'
fi
awk -f tests/bench/flat_svg.awk "$csv" $([ ! -f "$old_csv" ] || echo "$old_csv") >build/bench/flat.svg
echo 'the picture is build/bench/flat.svg, its numbers are build/bench/flat.csv'
flat_remove() { rm -rf "$folder"; }
[ "${BENCH_FLAT_KEEP:-}" = 1 ] || at_end=(flat_remove "${at_end[@]}")
