#!/usr/bin/env bash
# How fast tollbook is beside PostgreSQL itself, on this machine, with its private server's settings.  What counts is the
# ratio: the limit of ingest is a binary COPY of the same rows into a table without an index, the limit of rating is a binary
# COPY of the same columns out of the ledger into nothing.
# For consume the broker runs on the same machine and is part of what the two cores do.
#   BENCH_EVENTS      events, 10000000 where it is not set; 1 in 100 of them comes twice
#   BENCH_FLAT        how far the ledger grows, a million at a time, to see what rating the next million costs; 10000000 where it
#                     is not set
# For the time of the run some 1,500 bytes an event are needed below TMPDIR; what is printed is kept in build/bench/result.txt.
set -euo pipefail
cd "$(dirname "$0")/../.."
events=${BENCH_EVENTS:-10000000}
tools=build/tests/bench
result=build/bench/result.txt
mkdir -p build/bench
BUILD=build
. tests/support/server.sh
. tests/support/kafka.sh
took=$room/took
books() { for book in "$top"/examples/prices/public-*.json; do tollbook prices publish "$book" --quiet >/dev/null; done; }

# timed COMMAND...: wall milliseconds into $wall, peak memory in KiB into $peak.
timed() {
	rm -f "$took"
	"$tools/measure" "$took" "$@" >"$room/output" 2>&1 || [ $? = 7 ] || { cat "$room/output"; exit 1; }
	read -r wall _ _ peak _ <"$took"
}
rate_of() { echo $(($1 * 1000 / ($2 > 0 ? $2 : 1))); }
percent() { echo "$((100 * $1 / $2)) %"; }
row() { printf '%-58s %12s %10s %9s\n' "$@" | tee -a "$result"; }

new_database bench
tollbook init >/dev/null
books
tollbook tenant apply "$top/examples/tenants.json" --quiet >/dev/null
echo "writing $events events"
"$tools/generate" "$events" 10 >"$room/usage.ndjson"
lines=$(wc -l <"$room/usage.ndjson")
: >"$result"
row "$(uname -m), $(nproc) cores, $(sql 'SHOW server_version' | cut -d ' ' -f 1), $lines records" 'per second' 'of limit' 'peak MiB'

sql CHECKPOINT
timed tollbook ingest "$room/usage.ndjson" --as-of 2026-11-02 --quiet
ingest=$wall ingest_peak=$((peak / 1024))
rows=$(sql 'SELECT count(*) FROM metering.usage_event')

# The same rows, from a file that is ready for it, into a table with no index.
psql -X -q -d "$TOLLBOOK_DB" -c 'COPY (SELECT * FROM metering.usage_event) TO STDOUT (FORMAT binary)' >"$room/rows.bin"
sql 'CREATE TABLE public.bare (LIKE metering.usage_event)' && sql CHECKPOINT
timed psql -X -q -d "$TOLLBOOK_DB" -c '\copy public.bare FROM '"$room/rows.bin"' (FORMAT binary)'
limit=$(rate_of "$rows" "$wall")
row 'binary COPY into a table without an index (the limit)' "$limit" '' ''
row 'tollbook ingest, NDJSON to ledger' "$(rate_of "$lines" "$ingest")" "$(percent "$(rate_of "$lines" "$ingest")" "$limit")" "$ingest_peak"
sql 'DROP TABLE public.bare' && rm "$room/rows.bin"

# Everything again: what a retry of a whole day costs.
timed tollbook ingest "$room/usage.ndjson" --as-of 2026-11-02 --quiet
row 'tollbook ingest, all of it known already' "$(rate_of "$lines" "$wall")" '' "$((peak / 1024))"
[ "$(sql 'SELECT count(*) FROM metering.usage_event')" = "$rows" ] || { echo 'the second time booked something'; exit 1; }

# The same events from a topic that is full of them, into an empty ledger.
new_topic usage 12
produce usage --spread --compression lz4 <"$room/usage.ndjson"
rm "$room/usage.ndjson"
new_database consume
tollbook init >/dev/null
sql CHECKPOINT
timed tollbook consume -b "$broker" -t usage --as-of 2026-11-02 --quiet
row 'tollbook consume, Kafka topic to ledger' "$(rate_of "$lines" "$wall")" "$(percent "$(rate_of "$lines" "$wall")" "$limit")" "$((peak / 1024))"
[ "$(sql 'SELECT count(*) FROM metering.usage_event')" = "$rows" ] || { echo 'consume booked other rows than ingest'; exit 1; }
timed tollbook consume -b "$broker" -t usage --as-of 2026-11-02 --quiet --again --reason bench
row 'tollbook consume, all of it known already' "$(rate_of "$lines" "$wall")" '' "$((peak / 1024))"
kafka down
psql -X -q -d "$server" -c 'DROP DATABASE consume'
use_database bench

# Reading sets hint bits the first time; whoever is measured comes second.
sql CHECKPOINT
sql 'SELECT sum(output_text_tokens) FROM metering.usage_event' >/dev/null
{
	echo 'SET tollbook.first_batch = 0; SET tollbook.last_batch = 9000000000000;'
	echo '\o /dev/null'
	cat sql/rating/usage_copy.sql
} >"$room/copy_out.sql"
# Twice each, in turn, and the better one counts: on a shared machine one alone says little.  The first rating is a dry run.
best=0 rated=0
for attempt in --dry-run ''; do
	timed psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -f "$room/copy_out.sql"
	[ "$best" != 0 ] && [ "$best" -lt "$wall" ] || best=$wall
	timed tollbook rate --period 2026-10 --as-of 2026-11-02 --quiet $attempt
	[ "$rated" != 0 ] && [ "$rated" -lt "$wall" ] || rated=$wall
done
limit=$(rate_of "$rows" "$best")
row 'binary COPY of the rating columns into nothing (the limit)' "$limit" '' ''
row 'tollbook rate, ledger to charges' "$(rate_of "$rows" "$rated")" "$(percent "$(rate_of "$rows" "$rated")" "$limit")" "$((peak / 1024))"
timed tollbook rate --period 2026-10 --as-of 2026-11-02 --quiet
row "tollbook rate again, nothing new: $wall ms" '' '' "$((peak / 1024))"
timed tollbook reconcile --quiet
row "tollbook reconcile: $wall ms" '' '' "$((peak / 1024))"

# A month of many tenants from its intervals, a new version of the book: everything is priced again.
new_database reprice
tollbook init >/dev/null
tollbook prices publish examples/prices/public-usd.json --quiet >/dev/null
awk 'BEGIN {
	printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": ["
	for (i = 0; i < 10000; i++)
		printf "%s{\"tenant\": \"t%05d\", \"name\": \"T\", \"issuer\": \"TF\", \"currency\": \"USD\", \"zone\": \"Europe/Berlin\", \"book\": \"public-usd\", \"effective\": \"2026-01-01\"}", i == 0 ? "" : ", ", i
	print "]}" }' >"$room/tenants.json"
tollbook tenant apply "$room/tenants.json" --quiet >/dev/null
sql "INSERT INTO metering.usage_series (digest, tenant, model, base_model, adapter_kind, adapter, provider, operation, service_tier, speed, region,
		deployment, status, served_from, method, project, api_key)
	SELECT md5(t || '-' || m)::uuid, 't' || lpad(t::text, 5, '0'), m, '', '', '', '', '', 'default', '', '', '', '', '', '', '', ''
	  FROM generate_series(0, 9999) t, unnest(ARRAY['gpt-5', 'gpt-5-mini', 'claude-sonnet-4-5', 'claude-haiku-4-5', 'gemini-2.5-flash']) m"
sql "INSERT INTO metering.usage_interval (rating_run, series_id, interval_start, requests, input_text_uncached_tokens,
		input_text_cache_read_tokens, output_text_tokens)
	SELECT 0, series_id, timestamptz '2026-10-01 00:00Z' + (d * 1440 + series_id % 90 * 15) * interval '1 minute',
	       3, 1000 + series_id % 977, 500, 300
	  FROM metering.usage_series, generate_series(0, 29) d ORDER BY series_id, 3"
sql "INSERT INTO finance.rating_due SELECT DISTINCT tenant, '2026-10' FROM metering.usage_series"
sql 'VACUUM ANALYZE' && sql CHECKPOINT
tollbook rate --as-of 2026-11-02 --quiet >/dev/null || [ $? = 7 ]
sed 's/"effective": "[^"]*"/"effective": "2026-10-15T00:00:00Z"/' examples/prices/public-usd.json >"$room/second.json"
tollbook prices publish "$room/second.json" --quiet >/dev/null
timed tollbook rate --as-of 2026-11-02 --quiet
row "re-pricing 10,000 tenants x 5 models, 1.5 million intervals: $wall ms" '' '' "$((peak / 1024))"
psql -X -q -d "$server" -c 'DROP DATABASE reprice'

# Does the next million cost more when more lies there already?
new_database flat
tollbook init >/dev/null
books
tollbook tenant apply "$top/examples/tenants.json" --quiet >/dev/null
export room tools
"$tools/generate" "${BENCH_FLAT:-10000000}" 0 | split -l 1000000 --filter='
	tollbook ingest - --as-of 2026-11-02 --quiet >"$room/output" || cat "$room/output"
	rm -f "$room/took"
	"$tools/measure" "$room/took" tollbook rate --as-of 2026-11-02 --quiet >"$room/output" 2>&1 || [ $? = 7 ] || cat "$room/output"
	cut -d " " -f 1 "$room/took" >>"$room/flat"'
row "rating the 1st million of the ledger: $(sed -n 1p "$room/flat") ms" "$(rate_of 1000000 "$(sed -n 1p "$room/flat")")" '' ''
steps=$(wc -l <"$room/flat")
for step in 2 5 10 20 50; do
	[ "$step" -gt "$steps" ] || row "rating million number $step: $(sed -n ${step}p "$room/flat") ms" "$(rate_of 1000000 "$(sed -n ${step}p "$room/flat")")" '' ''
done
