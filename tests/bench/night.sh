#!/usr/bin/env bash
# What a night takes, step by step, in time and memory: the worst one, in which all tenants of a month are invoiced and all of its
# usage is new; and an ordinary one after it.
#   BENCH_EVENTS      events of the month, 10000000 where it is not set; 1 in 100 of them comes twice
#   BENCH_TENANTS     10000 where it is not set
# For the time of the run some 1,500 bytes an event are needed below TMPDIR; what is printed is kept in build/bench/night.txt.
set -euo pipefail
cd "$(dirname "$0")/../.."
events=${BENCH_EVENTS:-10000000}
tenants=${BENCH_TENANTS:-10000}
tools=build/tests/bench
mkdir -p build/bench
BUILD=build
. tests/support/server.sh

new_database night
tollbook init >/dev/null
for book in "$top"/examples/prices/public-*.json; do tollbook prices publish "$book" --quiet >/dev/null; done
awk -v tenants="$tenants" 'BEGIN {
	split("America/New_York Europe/Berlin Asia/Kolkata Asia/Kathmandu Australia/Lord_Howe Pacific/Apia UTC America/Sao_Paulo", zones, " ")
	printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": ["
	for (i = 0; i < tenants; i++)
		printf "%s{\"tenant\": \"t%05d\", \"name\": \"Tenant %d\", \"issuer\": \"TF\", \"currency\": \"USD\", \"zone\": \"%s\", \"book\": \"public-usd\", \"effective\": \"2026-01-01\"}", i == 0 ? "" : ", ", i, i, zones[i % 8 + 1]
	print "]}" }' >"$room/tenants.json"
tollbook tenant apply "$room/tenants.json" --quiet >/dev/null
mkdir "$room/usage" "$room/documents"
"$tools/generate" "$events" 10 "$tenants" | split -l 1000000 --additional-suffix=.ndjson - "$room/usage/october-"
cat >"$room/tollbook.conf" <<-END
	[night]
	documents = $room/documents
	[limits]
	held = USD 1000000
	[source usage]
	kind = files
	folder = $room/usage
END

# night DATE WHAT: runs it, and prints what its steps took.
night() {
	"$tools/measure" "$room/took" tollbook nightly --config "$room/tollbook.conf" --date "$1" --quiet || [ $? = 7 ] || exit 1
	read -r wall _ _ peak code < <(tail -n 1 "$room/took")
	printf '%s: %d.%03d s, peak memory %d MiB, exit code %d\n' "$2" $((wall / 1000)) $((wall % 1000)) $((peak / 1024)) "$code"
	sql "SELECT s.step, extract(epoch FROM s.ended_at - s.started_at)::numeric(9,1), told FROM finance.night_step s JOIN finance.night_run USING (night_run)
	      WHERE night = '$1' ORDER BY s.place" | while IFS='|' read -r step seconds told; do printf '  %-10s %9s s  %s\n' "$step" "$seconds" "$told"; done
}
{
	echo "$(uname -m), $(nproc) cores, $events events of $tenants tenants, $(du -sm "$room/usage" | cut -f 1) MiB of NDJSON"
	night 2026-11-03 'the night after a month, all of it at once'
	sql 'SELECT 1' >/dev/null
	"$tools/generate" "$((events / 30))" 10 "$tenants" | sed 's/"time":"2026-10-/"time":"2026-11-/; s/req-/nov-/' | grep -v '2026-11-31' >"$room/usage/november.ndjson"
	night 2026-11-04 'the next one, with a thirtieth of it'
	echo "documents: $(find "$room/documents" -type f | wc -l) files, $(du -sm "$room/documents" | cut -f 1) MiB; database $(sql 'SELECT pg_database_size(current_database()) / 1048576') MiB"
} | tee build/bench/night.txt
