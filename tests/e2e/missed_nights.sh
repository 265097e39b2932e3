#!/usr/bin/env bash
# Nights that were missed are caught up once: the same invoices, credits and adjustments as if every night had been, and none twice.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

publish() {
	printf '{"tollbook_prices": 1, "book": "usd", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [{"model": "a", "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1000}, "output_text_tokens": {"price": "2", "per": 1000}}}]}\n' >"$room/book.json"
	tollbook prices publish --quiet "$room/book.json"
}
tenants() {
	printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [%s]}\n' \
		"$(for t in york:America/New_York lin:Europe/Berlin; do printf '%s{"tenant": "%s", "name": "%s", "currency": "USD", "zone": "%s", "book": "usd", "issuer": "TF", "effective": "2026-01-01", "tax": {"name": "VAT", "percent": "20"}}' "${comma-}" "${t%:*}" "${t%:*}" "${t#*:}"; comma=,; done)" >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
# Usage arrives on its day: one file for each day from 30 October to 4 November; on 3 November something late of October comes, too.
arrives() {
	{
		for t in york lin; do usage "$t-$1" "$t" "$1T12:00:00Z" a 2000 0 500; done
		[ "$1" != 2026-11-03 ] || usage late york 2026-10-29T12:00:00Z a 7000 0 0
	} >"$room/$1.ndjson"
	tollbook ingest --quiet --as-of "$1T23:00:00Z" "$room/$1.ndjson"
}
night() {
	local step
	for step in 'rate' 'invoice draft' 'invoice finalize' 'credit expire'; do
		# shellcheck disable=SC2086
		finds tollbook $step --quiet --as-of "$1T03:00:00Z" || return 1
	done
}
days='2026-10-30 2026-10-31 2026-11-01 2026-11-02 2026-11-03 2026-11-04'
# ledger NAME DAY-OF-A-NIGHT...: usage arrives every day, nights are on these days (after the usage of the day before).
ledger_with() {
	local day nights=" ${*:2} "
	new_database "$1"
	tollbook init --quiet && publish && tenants || return 1
	tollbook credit grant york 3 --kind promotional --reason promotion --starts 2026-10-01 --expires 2026-11-02 --request p --quiet --as-of 2026-10-02T00:00:00Z || return 1
	for day in $days; do
		[[ $nights != *" $day "* ]] || night "$day" || return 1
		arrives "$day" || return 1
	done
	night 2026-11-05 && night 2026-11-05
}
check "a ledger with a night every day" ledger_with every_night $days
use_database every_night
equal "October of Berlin, which ended at 23:00 UTC, and of New York, at 04:00 UTC, are invoiced once each" \
	"$(sql "SELECT tenant, total_minor FROM finance.invoice WHERE status = 'final' ORDER BY 1" | tr '\n' ' ')" 'lin|720 york|360 '
equal "New York's 6.00 were paid with 3.00 of credit, which had expired by then and was used up" \
	"$(sql "SELECT kind, amount_minor, balance_after FROM finance.credit_entry ORDER BY place" | tr '\n' ' ')" 'grant|300|300 use|-300|0 '
equal "what came late is held" "$(sql "SELECT reason, quantity FROM finance.hold JOIN finance.current_rating USING (rating_id) WHERE meter_id = 2")" 'period_invoiced|7000'
check "its books reconcile" tollbook reconcile --quiet

# The nights of 2, 3 and 4 November are missed; the night of the 5th does what they would have done.  The late usage is there when October is invoiced.
check "a ledger whose nights from 2 November on were missed" ledger_with missed_nights 2026-10-30 2026-10-31 2026-11-01
use_database missed_nights
equal "Berlin's October is invoiced as it was; New York's has what came meanwhile: 13.00 less 3.00, and tax" \
	"$(sql "SELECT tenant, total_minor FROM finance.invoice WHERE status = 'final' ORDER BY 1" | tr '\n' ' ')" 'lin|720 york|1200 '
equal "the credit that expired while nobody was there paid for the usage of its time, once" \
	"$(sql "SELECT kind, amount_minor, balance_after FROM finance.credit_entry ORDER BY place" | tr '\n' ' ')" 'grant|300|300 use|-300|0 '
check "its books reconcile" tollbook reconcile --quiet

# All nights are missed but for the last, and the late usage is of no month that is invoiced by then: the same documents, then, in both.
use_database every_night
check "the late usage is re-rated where every night was" eval 'tollbook rerate plan --period 2026-10 --reason late_usage --quiet --by ann --as-of 2026-11-05T04:00:00Z &&
	tollbook rerate approve 1 --by eve --quiet --as-of 2026-11-05T04:00:00Z && tollbook rerate apply 1 --by eve --quiet --as-of 2026-11-05T04:00:00Z'
check "a night after it" night 2026-11-06
check "and the same night again" night 2026-11-06
check "nights missed for a month" night 2026-12-05
one=$(sql "SELECT tenant, sum(net_minor), sum(credits_minor), sum(total_minor) FROM finance.invoice WHERE status = 'final' GROUP BY 1 ORDER BY 1")
use_database missed_nights
check "nights missed for a month there, too" night 2026-12-05
equal "both have charged the same in the end, on other documents" "$(sql "SELECT tenant, sum(net_minor), sum(credits_minor), sum(total_minor) FROM finance.invoice WHERE status = 'final' GROUP BY 1 ORDER BY 1")" "$one"
equal "and no month is on two invoices" "$(sql "SELECT count(*) FROM (SELECT FROM finance.invoice WHERE kind = 'period' GROUP BY tenant, period HAVING count(*) > 1) x")" 0
check "the books reconcile" tollbook reconcile --quiet
report
