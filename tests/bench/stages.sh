#!/usr/bin/env bash
# Every stage alone, on one core and without a database, beside its limit where it has one; then the steps of booking together, as the
# wall clock saw them inside `tollbook ingest`.
#   BENCH_RECORDS     events for the stages alone, 100000 where it is not set; five times each
#   BENCH_EVENTS      events booked, 1000000 where it is not set
set -euo pipefail
cd "$(dirname "$0")/../.."
records=${BENCH_RECORDS:-100000}
events=${BENCH_EVENTS:-1000000}
BUILD=${BUILD:-build}
. tests/support/server.sh
. tests/bench/results.sh

"$tools/generate" "$records" >"$room/events"
python3 tests/bench/format_records.py openai.chat "$((records / 5))" >"$room/payloads"
"$tools/stages" "$room/events" "$room/payloads" "$room" 5 >"$room/stages"
while IFS=$'\t' read -r name unit nanoseconds sentence; do fact "stage_$name" "$nanoseconds" "ns/$unit" "$sentence"; done <"$room/stages"
cost() { awk -F '\t' -v name="$1" '$1 == name { print $3 }' "$room/stages"; }
for pair in parse_canonical:lines hash:sha256 sort:sort_numbers encode_rows:rows_copied sum:decode_rows; do
	fact "stage_${pair%:*}_of_limit" "$(ratio "$(cost "${pair#*:}")" "$(cost "${pair%:*}")")" '' "speed of ${pair%:*}, of its limit ${pair#*:}"
done

new_database stages
tollbook init --quiet >/dev/null
"$tools/generate" "$events" 10 --odd >"$room/events"
sql CHECKPOINT
export TOLLBOOK_PHASES=$room/phases
timed "$tools/phases" ingest "$room/events" --as-of 2026-11-02 --quiet
fact together_all "$(ratio $((wall * 1000)) "$events")" us/event 'booking, all steps together, by the wall clock'
while IFS=$'\t' read -r name milliseconds calls sentence; do
	fact "together_$name" "$(ratio $((milliseconds * 1000)) "$events")" us/event "  $sentence ($calls calls)"
done <"$room/phases"
