#!/usr/bin/env bash
# What takes longer than a change can wait for; `make check-deep` runs it.  The last line counts: N passed, N failed.
#   FUZZ_SECONDS   for each fuzzer; 60 where it is not set
#   KILLS          moments at which ingest and rate are killed; 60 where it is not set
#   PROPERTY_CASES, PROPERTY_LEDGERS, PROPERTY_SEED   how many random books and ledgers a second rater prices; 3000, 20, any
#   PROPERTY_RECORDS   how many records of true usage each writer of a usage format makes; 5000
#   PROPERTY_OPERATIONS   what an office does by chance, in months of work; 10000
#   NIGHT_KILLS, NIGHT_TENANTS, NIGHT_EVENTS, NIGHT_DAYS, NIGHT_FROM   how often nights are killed, of how many tenants, with how many records a
#                  day; 200, 50, 10000, 42 days from 2026-09-25
#   YEAR_FROM, YEAR_NIGHTS   the year of nights; 370 from 2027-12-28
#   REGISTER_KILLS, REGISTER_SEED   at how many random calls writers of the dedupe register are killed, and which; 200, any
#   TOLLBOOK_CHAOS_SEED   repeats what tests/e2e/kafka_chaos.sh did, as far as machines repeat
set -uo pipefail
cd "$(dirname "$0")/.."
. tests/support/report.sh
seconds=${FUZZ_SECONDS:-60}
export KILLS=${KILLS:-60}
export TOLLBOOK_CHAOS_EVENTS=200000 TOLLBOOK_CHAOS_ROUNDS=100 TOLLBOOK_CHAOS_SERVERS=20 TOLLBOOK_CHAOS_BROKERS=5
export TOLLBOOK_CHAOS_SECONDS=120 TOLLBOOK_CHAOS_CUTS=60
unset MAKEFLAGS MAKELEVEL

# format_seeds: the lines of tests/data/formats, with the byte that chooses the format: profile_fuzz reads it at the end, stream_fuzz at the
# beginning, and each of them takes the other's for another format.  Formats are in the order of their names.
format_seeds() {
	local LC_ALL=C file line name count=0 place byte names=()
	for file in ingest/formats/*.json; do name=$(basename "$file" .json) names+=("$name"); done
	for file in tests/data/formats/*.ndjson; do
		for place in "${!names[@]}"; do [ "${names[place]}" != "$(basename "$file" .ndjson)" ] || break; done
		printf -v byte '\\x%02x' "$place"
		while IFS= read -r line; do
			count=$((count + 1))
			printf "%s$byte" "$line" >"build/fuzz/seeds/format.$count"
			printf "${byte}data: %s\n\ndata: [DONE]\n\n" "$line" >"build/fuzz/seeds/stream.$count"
		done < <(head -n 40 "$file")
	done
	for file in tests/data/formats/*.sse; do cp "$file" build/fuzz/seeds/; done
	cp ingest/formats/*.json build/fuzz/seeds/
}
# Seeds: the invented usage, a line a file, every example, and every format.
seeds() {
	mkdir -p build/fuzz/seeds build/fuzz/generated
	awk -v OUT=build/fuzz/generated -f examples/generate.awk
	for file in build/fuzz/generated/*; do head -n 40 "$file" | split -l 1 - "build/fuzz/seeds/$(basename "$file")."; done
	find examples -name '*.json' -exec cp {} build/fuzz/seeds/ \;
	format_seeds
}
fuzz() {
	local name=$1
	mkdir -p "build/fuzz/corpus/$name" build/fuzz/found
	"build/fuzz/tests/fuzz/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="build/fuzz/found/$name-" "build/fuzz/corpus/$name" build/fuzz/seeds \
		$([ ! -d "tests/fuzz/seeds/$name" ] || echo "tests/fuzz/seeds/$name") >"build/fuzz/$name.log" 2>&1 || { tail -n 40 "build/fuzz/$name.log"; return 1; }
}
analyse() { find base ledger ingest rating reports nightly tollbook.c -name '*.c' | sort | xargs -P 2 -n 6 tests/lint/analyse gcc; }

check "the program is built" make -j2 all
check "gcc -fanalyzer finds nothing" analyse
check "the fuzzers are built" make fuzzers
check "their seeds are made" seeds
for fuzzer in tests/fuzz/*_fuzz.c; do
	name=$(basename "$fuzzer" .c)
	check "$name finds nothing in $seconds s" fuzz "$name"
done
check "the sanitized program is built" make -j2 SANITIZE=1 all
# told SCRIPT: what it proves counts here too.
told() {
	local said
	said=$(BUILD=build/sanitized "$1")
	printf '%s\n' "$said"
	passed=$((passed + $(grep -c '^ok - ' <<<"$said"))) failed=$((failed + $(grep -c '^not ok - ' <<<"$said")))
	grep -qE '^[0-9]+ passed, [0-9]+ failed' <<<"$said" || not_ok "$1 did not come to its end"
}
export PROPERTY_RECORDS=${PROPERTY_RECORDS:-5000} PROPERTY_CASES=${PROPERTY_CASES:-3000} PROPERTY_LEDGERS=${PROPERTY_LEDGERS:-20} PROPERTY_OPERATIONS=${PROPERTY_OPERATIONS:-10000}
told tests/property/property.sh
told tests/property/ledger.sh
told tests/property/late.sh
told tests/property/office.sh
told tests/property/formats.sh
export NIGHT_KILLS=${NIGHT_KILLS:-200} NIGHT_TENANTS=${NIGHT_TENANTS:-50} NIGHT_EVENTS=${NIGHT_EVENTS:-10000} NIGHT_DAYS=${NIGHT_DAYS:-42} NIGHT_FROM=${NIGHT_FROM:-2026-09-25}
export YEAR_FROM=${YEAR_FROM:-2027-12-28} YEAR_NIGHTS=${YEAR_NIGHTS:-370}
REGISTER_KILLS=${REGISTER_KILLS:-200} REGISTER_SEED=${REGISTER_SEED:-$RANDOM} told tests/e2e/register.sh
told tests/property/nights.sh
told tests/property/year.sh
told tests/e2e/killed.sh
told tests/e2e/kafka_chaos.sh
report
