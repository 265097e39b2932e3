#!/usr/bin/env bash
# Charges, computed a second time by awk from the same files and compared to the last decimal: real traces where they are
# there (TOLLBOOK_SHARED, default ../shared), and the project's own invented month.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
data=${TOLLBOOK_SHARED:-../shared}/data
as_of=2026-11-05T02:00:00Z

# Sums of one tenant's charges in force, as a plain decimal.
charged() {
	sql "SELECT trim_scale(COALESCE(sum(c.amount), 0)) FROM finance.charge c JOIN finance.current_rating r USING (rating_id)
	      WHERE r.tenant = '$1' AND r.period = '$2'"
}
# Whole billionths of a dollar to a plain decimal.
decimal() { awk -v nano="$1" 'BEGIN { text = sprintf("%d.%09d", int(nano / 1000000000), nano % 1000000000); sub(/\.?0+$/, "", text); print text }'; }
# The prices of examples/prices/trace-usd.json in billionths of a dollar a token, for uncached input, cached input and output.
charge='function charge(input, cached, output) { return (input - cached) * 150 + cached * 75 + output * 600 }'

quietly() { "$@" >"$room/said" 2>&1 || [ $? = 7 ] || { cat "$room/said"; return 1; }; }
ingest() { quietly tollbook ingest --quiet --as-of $as_of "$@"; }
rate() { quietly tollbook rate --quiet --as-of $as_of --period "$1"; }
begin() {
	new_database "$1"
	check "$1: the books are set up" quietly tollbook init
	check "$1: the price book is published" quietly tollbook prices publish --as-of $as_of examples/prices/trace-usd.json
}
# A contract with the trace's prices for each of the tenants named, in UTC.
tenants() {
	printf '%s\n' "$@" | awk 'BEGIN { print "{\"tenants\": [" } { printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"USD\"," \
		" \"zone\": \"UTC\", \"book\": \"trace-usd\", \"effective\": \"2023-01-01\"}\n", (NR > 1 ? "," : ""), $0, $0 } END { print "]}" }' >"$room/tenants.json"
	check "contracts of $*" quietly tollbook tenant apply --as-of $as_of "$room/tenants.json"
}

mooncake() {
	local file=$data/mooncake/conversation_tokens.csv nano tenant
	begin mooncake
	tenants moon
	check "the Mooncake trace is read" ingest --key-from-position --late-days 2000 --mapping examples/mappings/trace-mooncake.json "$file"
	equal "each of its rows is an event" "$(sql "SELECT count(*) FROM metering.usage_event")" "$(($(wc -l <"$file") - 1))"
	check "it is rated" rate 2023-11
	nano=$(awk -F, "$charge"' NR > 1 { sum += charge($2, $3, $4) } END { printf "%.0f", sum }' "$file")
	equal "awk adds the trace up to the known total" "$(decimal "$nano")" 20.134921425
	equal "tollbook charges exactly that" "$(charged moon 2023-11)" 20.134921425
	check "reading the same file again books nothing" ingest --key-from-position --late-days 2000 --mapping examples/mappings/trace-mooncake.json "$file"
	check "rated again" rate 2023-11
	equal "and charges nothing more" "$(charged moon 2023-11)" 20.134921425

	begin mooncake_split
	tenants t0 t1 t2 t3 t4 t5 t6
	awk -F, 'NR == 1 { print $0 ",tenant"; next } { print $0 ",t" NR % 7 }' "$file" >"$room/split.csv"
	sed -e 's|"tenant": "moon", ||' -e 's|"time": "timestamp_ms"|"tenant": "tenant", &|' examples/mappings/trace-mooncake.json >"$room/split.json"
	check "the trace is read, split over seven tenants" ingest --key-from-position --late-days 2000 --mapping "$room/split.json" "$room/split.csv"
	check "and rated" rate 2023-11
	awk -F, "$charge"' NR > 1 { sum[$5] += charge($2, $3, $4) } END { for (t in sum) printf "%s %.0f\n", t, sum[t] }' "$room/split.csv" | sort >"$room/split.sums"
	while read -r tenant nano; do
		equal "tenant $tenant is charged what its rows cost" "$(charged "$tenant" 2023-11)" "$(decimal "$nano")"
	done <"$room/split.sums"
	equal "seven tenants were compared" "$(wc -l <"$room/split.sums")" 7
	check "the books reconcile" tollbook reconcile
}

azure() {
	local part file nano
	begin azure
	tenants azure-conv azure-code
	for part in conv code; do
		file=$data/azure-llm-2023/AzureLLMInferenceTrace_$part.csv
		check "the Azure $part trace is read" ingest --key-from-position --late-days 2000 --mapping "examples/mappings/trace-azure-$part.json" "$file"
	done
	check "both are rated" rate 2023-11
	for part in conv code; do
		file=$data/azure-llm-2023/AzureLLMInferenceTrace_$part.csv
		nano=$(tr -d '\r' <"$file" | awk -F, "$charge"' NR > 1 { sum += charge($2, 0, $3) } END { printf "%.0f", sum }')
		equal "azure-$part is charged what its rows cost" "$(charged "azure-$part" 2023-11)" "$(decimal "$nano")"
	done
}

# The invented month: short form and CSV, where each identity's first record counts.
invented() {
	local tenant nano
	begin invented
	tenants acme blue ceres
	awk -v OUT="$room" -f examples/generate.awk
	check "the invented month is read" ingest "$room/usage-2.ndjson"
	check "and the partner's CSV" ingest --mapping examples/mappings/gateway-csv.json "$room/usage-3.csv"
	check "it is rated" quietly tollbook rate --quiet --as-of $as_of
	# usage-2 as the columns of usage-3: key, tenant, time, model, tier, input, cached, output (which includes the reasoning).
	awk 'function value(name) { match($0, "\"" name "\":\"?[^,\"}]*"); v = substr($0, RSTART, RLENGTH); sub(/^"[a-z_]*":"?/, "", v); return v }
		{ print value("idempotency_key") "," value("tenant") "," value("time") ",,," value("input_tokens") "," value("cached_input_tokens") "," value("output_tokens") }' \
		"$room/usage-2.ndjson" >"$room/flat.csv"
	sed 1d "$room/usage-3.csv" >>"$room/flat.csv"
	# In UTC, October ends before some of it.
	awk -F, "$charge"' !seen[$1]++ { sum[$2 " " substr($3, 1, 7)] += charge($6, $7, $8) } END { for (t in sum) printf "%s %.0f\n", t, sum[t] }' "$room/flat.csv" |
		grep -v '^nobody' | sort >"$room/sums"
	while read -r tenant period nano; do
		equal "$tenant is charged for $period what its records cost" "$(charged "$tenant" "$period")" "$(decimal "$nano")"
	done <"$room/sums"
	check "six tenant months or so were compared" test "$(wc -l <"$room/sums")" -ge 5
	equal "usage of a tenant without a contract is held, not dropped" \
		"$(sql "SELECT sum(h.quantity) FROM finance.hold h JOIN finance.current_rating r USING (rating_id) WHERE r.tenant = 'nobody' AND h.meter_id = 1")" \
		"$(awk -F, '$2 == "nobody" && !seen[$1]++ { n++ } END { print n }' "$room/flat.csv")"
	check "the books reconcile" tollbook reconcile
}

invented
if [ -f "$data/mooncake/conversation_tokens.csv" ]; then mooncake; else skip "the Mooncake trace is not in $data/mooncake"; fi
if [ -f "$data/azure-llm-2023/AzureLLMInferenceTrace_conv.csv" ]; then azure; else skip "the Azure trace is not in $data/azure-llm-2023"; fi
report
