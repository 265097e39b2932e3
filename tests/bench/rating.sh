#!/usr/bin/env bash
# How fast usage is summed and priced.
#   summing     `rate` of usage that no run has summed, beside what PostgreSQL can at most send: a binary COPY of the same columns into
#               nothing.  Per core: CPU of client and server together, which a busy machine does not change much.
#   re-pricing  a month of many tenants from its intervals, 5 models each, 150 intervals a tenant: a new version of the book is published
#   shares      the same by 1, 2 and 4 processes at once
#   BENCH_EVENTS      2000000 where it is not set
#   BENCH_TENANTS     10000 where it is not set
#   BENCH_RUNS        3
set -euo pipefail
cd "$(dirname "$0")/../.."
events=${BENCH_EVENTS:-2000000}
tenants=${BENCH_TENANTS:-10000}
BUILD=${BUILD:-build}
. tests/support/server.sh
. tests/bench/results.sh
books() { for book in "$top"/examples/prices/public-*.json; do tollbook prices publish "$book" --quiet >/dev/null; done; }
cpu() { echo $((user + system + served)); }

# --- summing -------------------------------------------------------------------------------------
new_database sums
tollbook init >/dev/null
books
tollbook tenant apply "$top/examples/tenants.json" --quiet >/dev/null
"$tools/generate" "$events" 0 >"$room/usage.ndjson"
tollbook ingest "$room/usage.ndjson" --as-of 2026-11-02 --quiet >/dev/null
rm "$room/usage.ndjson"
sql 'VACUUM ANALYZE' && sql CHECKPOINT
rows=$(sql 'SELECT count(*) FROM metering.usage_event')
{
	echo 'SET tollbook.first_batch = 0; SET tollbook.last_batch = 9000000000000;'
	echo '\o /dev/null'
	cat sql/rating/usage_copy.sql
} >"$room/copy_out.sql"

# In turn, so that a machine that is busy for a while is so for all of them.
limit_wall=() limit_cpu=() one_wall=() one_cpu=() two_wall=() two_cpu=()
for ((i = 0; i < runs; i++)); do
	timed psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -f "$room/copy_out.sql"
	limit_wall+=("$wall") limit_cpu+=("$(cpu)")
	timed tollbook rate --period 1999-01 --as-of 2026-11-02 --quiet --dry-run --workers 1
	one_wall+=("$wall") one_cpu+=("$(cpu)")
	timed tollbook rate --period 1999-01 --as-of 2026-11-02 --quiet --dry-run --workers 2
	two_wall+=("$wall") two_cpu+=("$(cpu)")
done
limit=$(median "${limit_cpu[@]}")
fact copy_out "$(per_second "$rows" "$(median "${limit_wall[@]}")")" rows/s 'binary COPY of the rating columns into nothing'
fact sum_one "$(per_second "$rows" "$(median "${one_wall[@]}")")" rows/s 'summing with one connection'
fact sum_two "$(per_second "$rows" "$(median "${two_wall[@]}")")" rows/s 'summing with two connections'
fact sum_per_core "$(ratio "$limit" "$(median "${one_cpu[@]}")")" 'of COPY' 'summing, per CPU second, client and server' '>= 0.85'
fact sum_two_per_core "$(ratio "$limit" "$(median "${two_cpu[@]}")")" 'of COPY' 'with two connections, per CPU second' '>= 0.85'
fact sum_scaling "$(ratio "$(median "${one_wall[@]}")" "$(median "${two_wall[@]}")")" times 'two connections beside one, by the clock' '>= 1.8'

# --- re-pricing ----------------------------------------------------------------------------------
awk -v n="$tenants" 'BEGIN {
	printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": ["
	for (i = 0; i < n; i++)
		printf "%s{\"tenant\": \"t%05d\", \"name\": \"T\", \"issuer\": \"TF\", \"currency\": \"USD\", \"zone\": \"Europe/Berlin\", \"book\": \"public-usd\", \"effective\": \"2026-01-01\"}", i == 0 ? "" : ", ", i
	print "]}" }' >"$room/tenants.json"
sed 's/"effective": "[^"]*"/"effective": "2026-10-15T00:00:00Z"/' examples/prices/public-usd.json >"$room/second.json"

new_database month
tollbook init >/dev/null
tollbook prices publish examples/prices/public-usd.json --quiet >/dev/null
tollbook tenant apply "$room/tenants.json" --quiet >/dev/null
sql "INSERT INTO metering.usage_series (digest, tenant, model, base_model, adapter_kind, adapter, provider, operation, service_tier, speed, region,
		deployment, status, served_from, method, project, api_key)
	SELECT md5(t || '-' || m)::uuid, 't' || lpad(t::text, 5, '0'), m, '', '', '', '', '', 'default', '', '', '', '', '', '', '', ''
	  FROM generate_series(0, $tenants - 1) t, unnest(ARRAY['gpt-5', 'gpt-5-mini', 'claude-sonnet-4-5', 'claude-haiku-4-5', 'gemini-2.5-flash']) m"
sql "INSERT INTO metering.usage_interval (rating_run, series_id, interval_start, requests, input_text_uncached_tokens,
		input_text_cache_read_tokens, output_text_tokens)
	SELECT 0, series_id, timestamptz '2026-10-01 00:00Z' + (d * 1440 + series_id % 90 * 15) * interval '1 minute',
	       3, 1000 + series_id % 977, 500, 300
	  FROM metering.usage_series, generate_series(0, 29) d ORDER BY series_id, 3"
sql "INSERT INTO finance.rating_due SELECT DISTINCT tenant, '2026-10' FROM metering.usage_series"
sql 'VACUUM ANALYZE' && sql CHECKPOINT
tollbook rate --as-of 2026-11-02 --quiet >/dev/null || [ $? = 7 ]
tollbook prices publish "$room/second.json" --quiet >/dev/null
sql 'VACUUM ANALYZE' && sql CHECKPOINT
digests() { sql "SELECT md5(string_agg(encode(output_digest, 'hex'), ' ' ORDER BY tenant, period)) FROM finance.current_rating"; }

# again NAME COMMAND...: in a copy of the month.
again() {
	psql -X -q -v ON_ERROR_STOP=1 -d "$server" -c "CREATE DATABASE \"$1\" TEMPLATE month"
	use_database "$1"
	sql CHECKPOINT
	timed "${@:2}"
	came_to=$(digests)
	psql -X -q -d "$server" -c "DROP DATABASE \"$1\""
}
reprice_wall=() reprice_cpu=() peaks=()
for ((i = 0; i < runs; i++)); do
	again reprice tollbook rate --as-of 2026-11-02 --quiet
	reprice_wall+=("$wall") reprice_cpu+=("$(cpu)") peaks+=("$((peak / 1024))")
done
wanted=$came_to
fact reprice_ms "$(median "${reprice_wall[@]}")" ms "re-pricing $tenants tenants x 5 models, $((tenants * 150)) intervals" '<= 5000'
fact reprice_cpu_ms "$(median "${reprice_cpu[@]}")" ms 'its CPU, client and server'
fact reprice_peak "$(median "${peaks[@]}")" MiB 'its peak memory' '<= 512'

# shares N: that many processes at once; the clock stops with the last one.
shares() {
	local pids=() i code
	for ((i = 1; i <= $1; i++)); do
		tollbook rate --as-of 2026-11-02 --quiet --workers 1 --share "$i/$1" >/dev/null &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		code=0
		wait "$i" || code=$?
		[ $code = 0 ] || [ $code = 7 ] || return $code
	done
}
export -f shares
for count in 1 2 4; do
	again "shares_$count" bash -c "shares $count"
	[ "$came_to" = "$wanted" ] || { echo "$count shares came to something else" >&2; exit 1; }
	fact "shares_$count" "$wall" ms "the same in $count shares at once, and to the same digests"
done
