#!/usr/bin/env bash
# How many rows a second go into a workbook: a month of many tenants with 20 charges each, 19 columns a row.  The limit beside it is
# the library alone, which writes rows of as many cells that are ready for it, and neither asks a database nor proves anything.
#   BENCH_TENANTS     10000 where it is not set: 200,000 charges
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
BUILD=$build
tenants=${BENCH_TENANTS:-10000}
. tests/support/server.sh
. tests/bench/results.sh

new_database workbook
tollbook init >/dev/null
tollbook prices publish examples/prices/public-usd.json --quiet >/dev/null
awk -v tenants="$tenants" 'BEGIN {
	printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": ["
	for (i = 0; i < tenants; i++)
		printf "%s{\"tenant\": \"t%05d\", \"name\": \"T\", \"issuer\": \"TF\", \"currency\": \"USD\", \"zone\": \"Europe/Berlin\", \"book\": \"public-usd\", \"effective\": \"2026-01-01\"}", i == 0 ? "" : ", ", i
	print "]}" }' >"$room/tenants.json"
tollbook tenant apply "$room/tenants.json" --quiet >/dev/null
sql "INSERT INTO metering.usage_series (digest, tenant, model, base_model, adapter_kind, adapter, provider, operation, service_tier, speed, region,
		deployment, status, served_from, method, project, api_key)
	SELECT md5(t || '-' || m)::uuid, 't' || lpad(t::text, 5, '0'), m, '', '', '', '', '', 'default', '', '', '', '', '', '', '', ''
	  FROM generate_series(0, $tenants - 1) t, unnest(ARRAY['gpt-5', 'gpt-5-mini', 'claude-sonnet-4-5', 'claude-haiku-4-5', 'gemini-2.5-flash']) m"
sql "INSERT INTO metering.usage_interval (rating_run, series_id, interval_start, requests, input_text_uncached_tokens,
		input_text_cache_read_tokens, output_text_tokens)
	SELECT 0, series_id, timestamptz '2026-10-02 00:00Z' + series_id % 90 * 15 * interval '1 minute', 3, 1000 + series_id % 977, 500, 300
	  FROM metering.usage_series ORDER BY series_id"
sql "INSERT INTO finance.rating_due SELECT DISTINCT tenant, '2026-10' FROM metering.usage_series"
tollbook rate --as-of 2026-11-02 --quiet >/dev/null || [ $? = 7 ]
sql 'VACUUM ANALYZE' && sql CHECKPOINT
rows=$(sql 'SELECT count(*) FROM finance.charge')

library=() whole=() peaks=()
for ((run = 0; run < runs; run++)); do
	rm -f "$room/rows.xlsx"
	timed "$tools/sheet_rows" "$room/rows.xlsx" "$rows"
	library+=("$(per_second "$rows" "$wall")")
	timed tollbook report workbook --period 2026-10 --output "$room/book.xlsx" --as-of 2026-11-02 --quiet
	whole+=("$(per_second "$rows" "$wall")") peaks+=("$((peak / 1024))")
done
limit=$(median "${library[@]}")
rate=$(median "${whole[@]}")
fact workbook_library_rate "$limit" rows/s 'libxlsxwriter alone: rows of 19 cells into one sheet (the limit)'
fact workbook_rate "$rate" rows/s "report workbook: $rows charges from the books into sheets, read back and compared" '>= 100000'
fact workbook_ratio "$(ratio "$rate" "$limit")" '' 'report workbook beside the library alone'
fact workbook_memory "$(median "${peaks[@]}")" MiB 'report workbook: memory at its peak' '<= 512'
