#!/usr/bin/env bash
# One screen says how fresh and how complete the money is; for people, for programs and for Prometheus.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

status() { tollbook status --as-of "$now" "$@"; }
# look [OPTION]...: what it says now.  told GROUP FACT [OF]: a value of that; "-" where there is none, nothing where there is no such row.
look() { status --format csv "$@" >"$room/status.csv"; }
told() { awk -F, -v row="$1,$2,${3-}," 'index($0, row) == 1 { print $4 == "" ? "-" : $4 }' "$room/status.csv"; }

# Given: euros and dollars, each token 0.01, so that 1,000 tokens are 10; ann (EUR, Berlin, 24 hours of grace) and bob (USD, New York).
book() { printf '{"tollbook_prices": 1, "book": "%s", "currency": "%s", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [{"model": "a", "prices": {"input_text_uncached_tokens": {"price": "0.01", "per": 1}}}]}\n' "$1" "$2" >"$room/$1.json" && tollbook prices publish --quiet "$room/$1.json"; }
tenants() {
	cat >"$room/tenants.json" <<-END
		{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [
		{"tenant": "ann", "name": "Ann", "currency": "EUR", "zone": "Europe/Berlin", "book": "eur", "issuer": "TF", "effective": "2026-01-01"},
		{"tenant": "bob", "name": "Bob", "currency": "USD", "zone": "America/New_York", "book": "usd", "issuer": "TF", "effective": "2026-01-01"}]}
	END
	tollbook tenant apply --quiet "$room/tenants.json"
}
new_database status
tollbook init --quiet >/dev/null
now=2026-10-20T00:00:00Z
check "given books in two currencies" eval 'book eur EUR && book usd USD && tenants'

# Nothing is there.
look
equal "of an empty ledger it is not known up to when it is complete" "$(told complete through)" -
equal "no night was run" "$(told nights outcome), missed $(told nights missed)" "never, missed 0"
equal "people see a dash" "$(status | awk '/^complete/ { print $NF }')" -

# When: usage comes: 1,000 and 500 tokens of October, 207 of another model, which has no price; a broken record.
{
	usage 1 ann 2026-10-05T12:00:00Z a 1000 0 0
	usage 2 bob 2026-10-06T12:00:00Z a 500 0 0
	usage 3 ann 2026-10-07T12:00:00Z b 200 0 7
	usage 1 ann 2026-10-05T12:00:00Z a 1000 0 0
	echo broken
} >"$room/usage.ndjson"
finds tollbook ingest --quiet --as-of 2026-10-19T12:00:00Z "$room/usage.ndjson"
look
equal "five records were read: three accepted, one twice, one broken" \
	"$(told usage records) $(told usage accepted) $(told usage duplicates) $(told usage rejected)" "5 3 1 1"
equal "three ledger rows are not rated, the oldest of 5 October" "$(told unrated ledger_rows), $(told unrated oldest)" "3, 2026-10-05T12:00:00Z"
equal "one record waits since it came" "$(told quarantine waiting), $(told quarantine oldest)" "1, 2026-10-19T12:00:00Z"
equal "usage is from the 5th until the 7th" "$(told usage from) $(told usage until)" "2026-10-05T12:00:00Z 2026-10-07T12:00:00Z"

# When it is rated: 10.00 EUR and 5.00 USD without an invoice; model b is held: its input is worth what ann's costs on average, 200 x 0.01.
finds tollbook rate --quiet --as-of "$now"
look
equal "rated, nothing is unrated" "$(told unrated ledger_rows), $(told unrated oldest)" "0, -"
equal "10.00 EUR and 5.00 USD are charged without an invoice" "$(told unbilled amount EUR) $(told unbilled amount USD)" "10.00 5.00"
equal "in two tenant periods" "$(told unbilled tenant_periods)" 2
equal "usage on hold would come to 2.00 EUR; of its output nothing was priced, so that its worth is not known" \
	"$(told held worth EUR), holds: $(told held holds), unknown: $(told held unknown_worth), $(told held tenant_periods) tenant period" "2.00, holds: 3, unknown: 1, 1 tenant period"
equal "Berlin's October ends at 23:00 UTC and is due 24 hours later, as configured by default" "$(told due next), $(told due next_tenant_periods)" "2026-11-01T23:00:00Z, 1"
look --set night.grace_hours=0
equal "without grace it is due when it ends" "$(told due next)" 2026-10-31T23:00:00Z

# When October is over: both are due, drafts are made, and one is parked.
now=2026-11-03T00:00:00Z
look
equal "on 3 November two tenant periods are due, and none is to come" "$(told due now), $(told due next)" "2, -"
finds tollbook invoice draft --quiet --as-of "$now"
look
equal "there are two drafts: of 10.00 EUR and 5.00 USD" "$(told drafts count): $(told drafts net EUR) $(told drafts net USD)" "2: 10.00 5.00"
equal "a draft is no invoice: it is unbilled" "$(told unbilled amount USD)" 5.00
sql "INSERT INTO finance.parked (tenant, period, reason, detail, parked_at, parked_by) VALUES ('ann', '2026-10', 'held_above_limit', 'x', '2026-11-02 02:00Z', 'nightly')"
look
equal "one tenant is parked, by its reason, since when" "$(told parked waiting), $(told parked reason held_above_limit), $(told parked oldest)" "1, 1, 2026-11-02T02:00:00Z"
finds tollbook invoice finalize --quiet --tenant bob --as-of "$now"
look
equal "bob is invoiced: 5.00 USD to pay, and unbilled no more" "$(told invoices final), $(told invoices due USD), unbilled: $(told unbilled amount USD)" "1, 5.00, unbilled: "
equal "one tenant period is still due" "$(told due now)" 1
check "a credit note of 2.00 is issued" exits 0 tollbook credit-note issue TF-INV-2026-000001 --amount 2 --reason goodwill --request r --quiet --as-of "$now"
look
equal "3.00 USD are left to pay, which is what the books say of each invoice" "$(told invoices due USD) $(sql "SELECT sum(due_minor) FROM finance.invoice_standing")" "3.00 300"

# Nights.
sql "INSERT INTO finance.night_run (night_run, night, at, caught_up, read_at, attempts, code_version, zone_data, settings)
     VALUES (1, '2026-10-30', '2026-10-30 02:00Z', false, '2026-10-30 02:00:01Z', 1, 'v', 'z', '{}');
     INSERT INTO finance.night_step (night_run, place, step, started_at, ended_at) VALUES (1, 1, 'apply', '2026-10-30 02:00:01Z', '2026-10-30 02:00:02.25Z');
     INSERT INTO finance.night_step (night_run, place, step, started_at) VALUES (1, 2, 'ingest', '2026-10-30 02:00:03Z')"
look
equal "a night that did not end says in which step it was" "$(told nights last): $(told nights outcome), exit code $(told nights exit_code)" "2026-10-30: interrupted in step ingest, exit code -"
equal "nights of 31 October, 1 and 2 November were missed since; that of the 3rd is to come at 02:00" "$(told nights missed)" 3
look --set night.at=00:00
equal "with nights at midnight that of the 3rd is missed, too" "$(told nights missed)" 4
look --set night.at=21:00 --set night.zone=America/New_York
equal "with nights at 21:00 in New York (01:00 UTC) it is not that of the 2nd yet" "$(told nights missed)" 2
sql "UPDATE finance.night_step SET ended_at = '2026-10-30 02:00:03.5Z' WHERE step = 'ingest';
     UPDATE finance.night_run SET ended_at = '2026-10-30 02:00:04Z', outcome = 'findings', manifest = '{}'"
look
equal "a night that ended says how, when, and how long its steps took" "$(told nights outcome), $(told nights exit_code), $(told nights ended), $(told nights seconds)" "findings, 7, 2026-10-30T02:00:04Z, 1.750"

# Up to when everything is read.
drop=(--set source.drop.kind=files --set "source.drop.folder=$room")
look "${drop[@]}"
equal "files are read up to the night that took them" "$(told complete through), $(told complete source_through drop)" "2026-10-30T02:00:00Z, 2026-10-30T02:00:00Z"
partition() {
	printf "INSERT INTO metering.kafka_partition (cluster, topic, partition, opened_at, opened_by, start_offset, next_offset, clear_offset, end_offset, stable_offset, seen_at, last_event_time)
		VALUES ('c', '%s', %s, '2026-10-01', 'x', 0, %s, %s, %s, %s, %s, %s);" "$@"
}
sql "$(partition usage 0 10 10 10 10 "'2026-11-02 23:00Z'" "'2026-10-07 12:00Z'")"
look
equal "a partition that was seen to its end is complete up to that look" "$(told complete through)" 2026-11-02T23:00:00Z
sql "$(partition usage 1 10 10 15 15 "'2026-11-02 23:00Z'" "'2026-11-02 20:30Z'")"
look
equal "one that is behind, up to its last event; the topic is as complete as its worst partition" "$(told complete source_through usage)" 2026-11-02T20:30:00Z
equal "and five records are behind" "$(told usage kafka_behind)" 5
look "${drop[@]}"
equal "of files and a topic the less complete counts" "$(told complete through)" 2026-10-30T02:00:00Z
look --set source.u.kind=kafka --set source.u.brokers=localhost:1 --set source.u.topic=other
equal "a topic that is configured and was never read makes it unknown" "$(told complete through), $(told complete source_through u), $(told complete source_through usage)" "-, -, 2026-11-02T20:30:00Z"

# For programs: the same facts, and the text that Prometheus reads.
check "metrics are written" status --quiet --metrics-file "$room/tollbook.prom"
metric() { awk -v name="$1" '$1 == name { print $2 }' "$room/tollbook.prom"; }
equal "amounts by currency" "$(metric 'tollbook_unbilled_amount{currency="EUR"}')" 10
equal "instants in seconds" "$(metric tollbook_quarantine_oldest_timestamp_seconds)" "$(date -u -d 2026-10-19T12:00:00Z +%s)"
equal "parked by reason" "$(metric 'tollbook_parked_by_reason{reason="held_above_limit"}')" 1
equal "sources by name" "$(metric 'tollbook_source_complete_through_timestamp_seconds{source="usage"}')" "$(date -u -d 2026-11-02T20:30:00Z +%s)"
equal "nights missed" "$(metric tollbook_nights_missed)" 3
# The text format: HELP and TYPE once before the samples of a metric, names and labels of allowed characters, decimal values, no sample twice.
exposition() {
	awk '
	function fail(why) { printf "line %d: %s: %s\n", NR, why, $0; bad = 1 }
	/^# HELP [a-z_][a-z0-9_]* ./ { if ($3 in helped) fail("HELP again"); helped[$3] = 1; next }
	/^# TYPE [a-z_][a-z0-9_]* (gauge|counter)$/ { if (!($3 in helped) || $3 in type) fail("TYPE"); type[$3] = $4; last = $3; next }
	/^[a-z_][a-z0-9_]*(\{[a-z_]+="([^"\\]|\\["\\n])*"\})? -?[0-9]+(\.[0-9]+)?$/ {
		name = $1; sub(/\{.*/, "", name); sample = $0; sub(/ [^ ]*$/, "", sample)
		if (name != last) fail("not below its TYPE"); if (sample in seen) fail("twice"); seen[sample] = 1
		if (name !~ /^tollbook_/) fail("name"); if ((type[name] == "counter") != (name ~ /_total$/)) fail("a counter ends in _total, and nothing else does")
		samples++; next }
	{ fail("no line of the format") }
	END { if (samples < 30) { print samples + 0 " samples"; bad = 1 } exit bad }' "$1"
}
check "it is text of the exposition format" exposition "$room/tollbook.prom"
check "nothing else is left in the folder" test ! -e "$room/tollbook.prom.part"
refused "a folder that is not there is told" 5 'none/x.prom' status --metrics-file "$room/none/x.prom"
equal "groups and facts have these names, for programs" "$(status --format csv | sed 1d | cut -d, -f1 | uniq | tr '\n' ' ')" \
	'complete usage unrated held quarantine unbilled drafts due parked adjustments invoices nights '
check "--sources and --partitions have their rows" eval 'status --sources | grep -q usage.ndjson && status --partitions | grep -q "^usage"'
report
