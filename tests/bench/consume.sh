#!/usr/bin/env bash
# From a topic that is full of events into an empty ledger; the broker runs on the same machine and is part of what its cores do.
#   BENCH_EVENTS      events, 2000000 where it is not set; 1 in 100 of them comes twice
#   BENCH_RUNS        rounds, 3 where it is not set
set -euo pipefail
cd "$(dirname "$0")/../.."
events=${BENCH_EVENTS:-2000000}
BUILD=${BUILD:-build}
. tests/support/server.sh
. tests/support/kafka.sh
. tests/bench/results.sh

broker_cpu() { awk -v tick="$(getconf CLK_TCK)" '{ printf "%d\n", ($14 + $15) * 1000 / tick }' "/proc/$(cat "$room/kafka/pid")/stat"; }

new_topic usage 12
"$tools/generate" "$events" 10 --odd >"$room/usage.ndjson"
lines=$(wc -l <"$room/usage.ndjson")
produce usage --spread --compression lz4 <"$room/usage.ndjson"
rm "$room/usage.ndjson"
rates=() agains=()
for ((round = 1; round <= runs; round++)); do
	new_database "consume$round"
	tollbook init --quiet >/dev/null
	sql CHECKPOINT
	before=$(broker_cpu)
	timed tollbook consume -b "$broker" -t usage --as-of 2026-11-02 --quiet
	rates+=("$(per_second "$lines" "$wall")") broker_ms=$(($(broker_cpu) - before)) client=$((user + system)) server_ms=$served first_peak=$peak
	rows=$(sql 'SELECT count(*) FROM metering.usage_event')
	timed tollbook consume -b "$broker" -t usage --as-of 2026-11-02 --quiet --again --reason bench
	agains+=("$(per_second "$lines" "$wall")")
	[ "$(sql 'SELECT count(*) FROM metering.usage_event')" = "$rows" ] || { echo 'the second time booked something'; exit 1; }
	psql -X -q -d "$server" -c "DROP DATABASE consume$round"
done
fact consume_rate "$(median "${rates[@]}")" events/s 'Kafka topic to ledger: tollbook consume' '>= 150000'
fact consume_known_rate "$(median "${agains[@]}")" events/s 'Kafka topic to ledger, all of it known already'
fact consume_client_us "$(ratio $((client * 1000)) "$lines")" us/event 'CPU of tollbook'
fact consume_server_us "$(ratio $((server_ms * 1000)) "$lines")" us/event 'CPU of PostgreSQL'
fact consume_broker_us "$(ratio $((broker_ms * 1000)) "$lines")" us/event 'CPU of the broker'
fact consume_peak $((first_peak / 1024)) MiB 'Kafka topic to ledger, peak memory of tollbook' '<= 512'
