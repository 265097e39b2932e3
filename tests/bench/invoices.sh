#!/usr/bin/env bash
# How many invoices a second are drafted and made final: a month of many tenants, whose charges are there.
# Each tenant has 15 lines (5 models, 3 meters); every tenth has a promotional credit that pays some of them, every twentieth a balance.
#   BENCH_TENANTS     10000 where it is not set
#   BENCH_ROUNDS      how many databases it is done in, one after the other: the medians are printed; 3 where it is not set
# What is printed is kept in build/bench/invoices.txt.
set -euo pipefail
cd "$(dirname "$0")/../.."
tenants=${BENCH_TENANTS:-10000}
rounds=${BENCH_ROUNDS:-3}
tools=build/tests/bench
mkdir -p build/bench
BUILD=${BUILD:-build}
. tests/support/server.sh

awk -v tenants="$tenants" 'BEGIN {
	printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": ["
	for (i = 0; i < tenants; i++)
		printf "%s{\"tenant\": \"t%05d\", \"name\": \"Tenant %d\", \"issuer\": \"TF\", \"currency\": \"USD\", \"zone\": \"Europe/Berlin\", \"book\": \"public-usd\", \"effective\": \"2026-01-01\", \"tax\": {\"name\": \"VAT\", \"percent\": \"19\"}}", i == 0 ? "" : ", ", i, i
	print "]}" }' >"$room/tenants.json"

# A month of usage as it is summed, and credits and balances as they were booked before.
fill() {
	tollbook init >/dev/null
	tollbook prices publish examples/prices/public-usd.json --as-of 2026-01-01 --quiet >/dev/null
	tollbook tenant apply "$room/tenants.json" --as-of 2026-01-01 --quiet >/dev/null
	sql "INSERT INTO metering.usage_series (digest, tenant, model, base_model, adapter_kind, adapter, provider, operation, service_tier, speed, region,
			deployment, status, served_from, method, project, api_key)
		SELECT md5(t || '-' || m)::uuid, 't' || lpad(t::text, 5, '0'), m, '', '', '', '', '', 'default', '', '', '', '', '', '', '', ''
		  FROM generate_series(0, $tenants - 1) t, unnest(ARRAY['gpt-5', 'gpt-5-mini', 'claude-sonnet-4-5', 'claude-haiku-4-5', 'gemini-2.5-flash']) m"
	sql "INSERT INTO metering.usage_interval (rating_run, series_id, interval_start, requests, input_text_uncached_tokens,
			input_text_cache_read_tokens, output_text_tokens)
		SELECT 0, series_id, timestamptz '2026-10-02 00:00Z' + (d * 7200 + series_id % 90 * 15) * interval '1 minute',
		       3, 100000 + series_id % 977 * 1000, 50000, 30000
		  FROM metering.usage_series, generate_series(0, 4) d ORDER BY series_id, 3"
	sql "INSERT INTO finance.rating_due SELECT DISTINCT tenant, '2026-10' FROM metering.usage_series"
	sql "INSERT INTO finance.credit_grant (request_id, tenant, issuer, kind, currency, minor_units, amount_minor, starts, expires, priority, model_pattern,
			meters, reason, ticket, note, granted_at, granted_by)
		SELECT 'bench ' || tenant, tenant, issuer, 'promotional', currency, 2, 25, '2026-10-01', '2026-12-01', 100, '', '{}', 'promotion', '', '',
		       '2026-10-01', 'bench'
		  FROM finance.contract WHERE tenant ~ '5\$' ORDER BY tenant"
	sql "INSERT INTO finance.credit_entry (grant_id, place, kind, amount_minor, balance_before, balance_after, reason, ticket, booked_at, booked_by)
		SELECT grant_id, 1, 'grant', amount_minor, 0, amount_minor, reason, '', granted_at, granted_by FROM finance.credit_grant ORDER BY grant_id"
	tollbook rate --as-of 2026-11-02 --quiet >/dev/null || [ $? = 7 ]
	# Whoever was invoiced in September and paid too much has a balance.
	sql "INSERT INTO finance.invoice (status, kind, tenant, period, issuer, issuer_name, tenant_name, currency, minor_units, zone, starts, ends,
			tax_name, tax_percent, total_minor, exact_total, drafted_at, drafted_by)
		SELECT 'draft', 'adjustment', tenant, '2026-09', issuer, 'Token Factory', name, currency, 2, zone, '2026-09-01', '2026-10-01', tax_name,
		       tax_percent, 0, 0, '2026-10-01', 'bench'
		  FROM finance.contract WHERE tenant ~ '[02468]7\$' ORDER BY tenant"
	sql "UPDATE finance.invoice SET status = 'final', number = 'TF-OLD-2026-' || invoice_id, series_year = 2026, series_number = invoice_id,
			issued_on = '2026-10-01', finalized_at = '2026-10-01', finalized_by = 'bench', content_digest = ''"
	sql "INSERT INTO finance.payment (reference, method, invoice_id, amount_minor, excess_minor, currency, paid_on, booked_at, booked_by)
		SELECT 'bank ' || invoice_id, 'import', invoice_id, 10, 10, currency, '2026-10-05', '2026-10-05', 'bench' FROM finance.invoice ORDER BY invoice_id"
	sql "INSERT INTO finance.balance_entry (tenant, issuer, currency, place, amount_minor, balance_after, payment_id, booked_at, booked_by)
		SELECT v.tenant, v.issuer, v.currency, 1, 10, 10, p.payment_id, p.booked_at, 'bench'
		  FROM finance.payment p JOIN finance.invoice v USING (invoice_id) ORDER BY p.payment_id"
	sql CHECKPOINT
}

# timed COMMAND...: its wall milliseconds and its peak memory in MiB.
timed() {
	rm -f "$room/took"
	"$tools/measure" "$room/took" "$@" >"$room/output" 2>&1 || { cat "$room/output"; exit 1; }
	read -r wall _ _ peak _ <"$room/took"
	echo "$wall $((peak / 1024))"
}
median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }
rate_of() { echo $((tenants * 1000 / ($1 > 0 ? $1 : 1))); }

for round in $(seq "$rounds"); do
	new_database "invoices$round"
	fill
	timed tollbook invoice draft --period 2026-10 --as-of 2026-11-05 --quiet >"$room/draft.$round"
	timed tollbook invoice draft --period 2026-10 --as-of 2026-11-05 --quiet >"$room/again.$round"
	sql CHECKPOINT
	timed tollbook invoice finalize --period 2026-10 --as-of 2026-11-05 --quiet >"$room/final.$round"
	[ "$(sql "SELECT count(*) FROM finance.invoice WHERE status = 'final' AND period = '2026-10'")" = "$tenants" ] || { echo 'not all are final'; exit 1; }
	[ -z "${BENCH_KEEP:-}" ] || psql -X -q -d "$TOLLBOOK_DB" -f tests/support/books_digest.sql >"$BENCH_KEEP.$round"
	lines=$(sql "SELECT count(*) FROM finance.invoice_line")
	psql -X -q -d "$server" -c "DROP DATABASE invoices$round"
done
draft=$(cut -d ' ' -f 1 "$room"/draft.* | median) again=$(cut -d ' ' -f 1 "$room"/again.* | median) final=$(cut -d ' ' -f 1 "$room"/final.* | median)
{
	echo "$(uname -m), $(nproc) cores, $tenants tenants, $lines lines, median of $rounds rounds"
	printf '%-42s %10s %10s\n' '' 'per second' 'peak MiB'
	printf '%-42s %10s %10s\n' 'drafts' "$(rate_of "$draft")" "$(cut -d ' ' -f 2 "$room"/draft.* | median)"
	printf '%-42s %10s %10s\n' 'drafts made again' "$(rate_of "$again")" "$(cut -d ' ' -f 2 "$room"/again.* | median)"
	printf '%-42s %10s %10s\n' 'finalized' "$(rate_of "$final")" "$(cut -d ' ' -f 2 "$room"/final.* | median)"
	printf '%-42s %10s\n' 'drafted and finalized' "$(rate_of $((draft + final)))"
} | tee build/bench/invoices.txt
. tests/bench/results.sh
fact invoices_drafts "$(rate_of "$draft")" 1/s 'drafts'
fact invoices_finalized "$(rate_of "$final")" 1/s 'invoices finalized'
fact invoices_rate "$(rate_of $((draft + final)))" 1/s 'invoices drafted and finalized' '>= 2000'
fact invoices_peak "$(cut -d ' ' -f 2 "$room"/final.* | sort -n | tail -n 1)" MiB 'invoices finalized, peak memory' '<= 512'
