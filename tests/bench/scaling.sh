#!/usr/bin/env bash
# What more processes bring: 1, 2 and 4 of them ingest four files, and 1, 2 and 4 members of a group share a topic of 12 partitions.  All of
# them, the database and the broker run on this machine, so its cores are the end of it; beside the rates stands what an event costs
# in CPU time of tollbook and PostgreSQL, which says what more machines would bring.
#   BENCH_EVENTS      events, 2000000 where it is not set; 1 in 100 of them comes twice
#   BENCH_PROCESSES   how many processes, "1 2 4" where it is not set; at most 4
set -euo pipefail
cd "$(dirname "$0")/../.."
events=${BENCH_EVENTS:-2000000}
read -r -a counts <<<"${BENCH_PROCESSES:-1 2 4}"
BUILD=${BUILD:-build}
. tests/support/server.sh
# So that a group begins when all of its first members are there.
kafka_settings=(group.initial.rebalance.delay.ms=3000)
. tests/support/kafka.sh
. tests/bench/results.sh
common=(--as-of 2026-11-02 --quiet)
processes=()
processes_end() { [ ${#processes[@]} = 0 ] || kill -9 "${processes[@]}" 2>/dev/null || true; }
at_end+=(processes_end)

now_ms() { local now=${EPOCHREALTIME/./}; echo $((now / 1000)); }
booked() { sql 'SELECT COALESCE(sum(records), 0) FROM metering.ingest_batch'; }
begin() { new_database "$1" && tollbook init --quiet >/dev/null && sql CHECKPOINT && served_before=$(server_cpu) && rm -f "$room"/took.*; }
# What one of several processes does, measured.
start() {
	local place=$1
	shift
	"$tools/measure" "$room/took.$place" "$@" >"$room/output.$place" 2>&1 &
	processes+=("$!")
}
# Waits for all of them; one that failed ends the script.
finish() {
	local process
	for process in "${processes[@]}"; do wait "$process" || [ $? = 7 ] || { cat "$room"/output.* >&2; exit 1; }; done
	processes=()
	served=$(($(server_cpu) - served_before))
	client=$(awk '{ sum += $2 + $3 } END { print sum }' "$room"/took.*)
}
# Every way comes to the same rows.
same_rows() {
	local now
	now=$(sql 'SELECT count(*) FROM metering.usage_event')
	[ "${rows:=$now}" = "$now" ] || { echo "$1 booked $now rows, others booked $rows"; exit 1; }
	psql -X -q -d "$server" -c "DROP DATABASE ${TOLLBOOK_DB#*dbname=}"
}
told() {
	local name=$1 count=$2 what=$3
	fact "scaling_${name}_$count" "$rate" events/s "$what: $count at once"
	fact "scaling_${name}_${count}_us" "$(ratio $(((client + served) * 1000)) "$lines")" us/event "$what: $count at once, CPU of tollbook and PostgreSQL"
}

"$tools/generate" "$events" 10 --odd >"$room/usage.ndjson"
lines=$(wc -l <"$room/usage.ndjson")
split -n l/4 "$room/usage.ndjson" "$room/part."
for count in "${counts[@]}"; do
	begin "files$count"
	begun=$(now_ms)
	parts=("$room"/part.*)
	for ((place = 0; place < count; place++)); do
		from=$((place * 4 / count)) upto=$(((place + 1) * 4 / count))
		start "$place" tollbook ingest "${parts[@]:from:upto - from}" "${common[@]}"
	done
	finish
	rate=$(per_second "$lines" $(($(now_ms) - begun)))
	told files "$count" 'four files, processes'
	same_rows "$count processes"
done

new_topic usage 12
produce usage --spread --compression lz4 <"$room/usage.ndjson"
rm "$room"/usage.ndjson "$room"/part.*
for count in "${counts[@]}"; do
	begin "topic$count"
	for ((place = 0; place < count; place++)); do
		start "$place" tollbook consume -b "$broker" -t usage --follow --group "scaling$count" "${common[@]}"
	done
	# From the first batch on, without it: what joining a group takes is not what is asked.
	while first=$(booked) && [ "$first" = 0 ]; do sleep 0.02; done
	begun=$(now_ms)
	while [ "$(booked)" -lt "$lines" ]; do sleep 0.05; done
	ended=$(now_ms)
	# To the programs that are measured, not to what measures them.
	for process in "${processes[@]}"; do pkill -TERM -P "$process"; done
	finish
	rate=$(per_second $((lines - first)) $((ended - begun)))
	told topic "$count" 'a topic of 12 partitions, members of a group'
	same_rows "$count members"
done
