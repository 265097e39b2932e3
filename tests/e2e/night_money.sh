#!/usr/bin/env bash
# What the nightly job invoices, and when: adjustments under a grace that is longer than a month, usage on hold that a person took as it is,
# and what a month waits for that is to be closed.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# One dollar for a thousand input tokens of model a, three of model c; nothing for requests; no price for model b, nor for cached tokens.
publish() {
	printf '{"tollbook_prices": 1, "book": "usd", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [%s, %s]}\n' \
		"$(rule a 1)" "$(rule c 3)" >"$room/book.json"
	tollbook prices publish --quiet "$room/book.json"
}
rule() { printf '{"model": "%s", "prices": {"input_text_uncached_tokens": {"price": "%s", "per": 1000}}}' "$@"; }
# contracts 'TENANT [MORE]'...
contracts() {
	local comma='' more
	{
		printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": ['
		for more; do
			printf '%s{"tenant": "%s", "name": "%s", "issuer": "TF", "currency": "USD", "zone": "UTC", "book": "usd", "effective": "2026-01-01"%s}' \
				"$comma" "${more%% *}" "${more%% *}" "$([[ $more != *' '* ]] || printf ', %s' "${more#* }")"
			comma=', '
		done
		printf ']}\n'
	} >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
book_usage() { cat >"$room/usage-$1.ndjson"; ingest "$room/usage-$1.ndjson"; }
night() { finds tollbook nightly --config "$room/tollbook.conf" --date "$1" --as-of "$1T02:30:00Z"; }
final() { sql "SELECT tenant || ' ' || kind || ' ' || net_minor || ' ' || issued_on FROM finance.invoice WHERE status = 'final' $1 ORDER BY tenant, kind" | paste -sd ';'; }
parked() { sql "SELECT tenant || ' ' || period || ' ' || reason || ' ' || COALESCE(trim_scale(measured)::text, '?') || ' of ' || COALESCE(extent::text, '-') FROM finance.parked_now ORDER BY 1" | paste -sd ';'; }
release() { tollbook parked release --quiet --by fay --as-of "$2" --tenant "$1" --note 'looked at'; }

# --- adjustments ------------------------------------------------------------------------------------
# The contracts ended with October.  What came late was booked on 3 November: long's can go out 1000 hours behind 1 November, on 12 December at
# 16:00, short's at once.
new_database long_grace
printf '[night]\ngrace_hours = 1000\nreconcile = open\n' >"$room/tollbook.conf"
check "the books are set up" tollbook init
check "prices are published" publish
check "contracts are there, one with its own grace" contracts 'long "until": "2026-11-01"' 'short "until": "2026-11-01", "grace_hours": 0'
as_of=2026-10-11T00:00:00Z
for t in long short; do usage "$t-1" $t 2026-10-10T00:00:00Z a 10000 0 0; done | check "each uses 10.00" book_usage 1
as_of=2026-11-01T01:00:00Z
check "October is invoiced by hand" eval 'rate && tollbook invoice draft --quiet --as-of $as_of && tollbook invoice finalize --quiet --as-of $as_of'
as_of=2026-11-03T00:00:00Z
for t in long short; do usage "$t-2" $t 2026-10-12T00:00:00Z a 7000 0 0; done | check "7.00 come late" book_usage 2
check "they are adjusted" eval 'finds rate && tollbook rerate plan --period 2026-10 --reason late_usage --quiet --by ann --as-of $as_of &&
	tollbook rerate approve 1 --by eve --quiet --as-of $as_of && tollbook rerate apply 1 --by eve --quiet --as-of $as_of'
check "the first night" night 2026-11-04
equal "invoices the adjustment that has no grace" "$(final "AND kind = 'adjustment'")" 'short adjustment 700 2026-11-04'
check "nights until the 12th of the next month" night 2026-12-12
equal "leave the other one a draft" "$(final "AND kind = 'adjustment'")" 'short adjustment 700 2026-11-04'
check "the night of the 13th" night 2026-12-13
equal "invoices it, though it was drafted anew in another month" "$(final "AND kind = 'adjustment'")" 'long adjustment 700 2026-12-13;short adjustment 700 2026-11-04'
check "the books reconcile" tollbook reconcile --quiet

# --- what is on hold --------------------------------------------------------------------------------
# The average price of input tokens is 1.00 for a thousand, until 1000 of model c come: (10 + 10 + 10 + 1 + 3) / 32000, by 5001 tokens.
new_database on_hold
printf '[night]\nreconcile = open\n[limits]\nheld = USD 1\n' >"$room/tollbook.conf"
check "the books are set up again" tollbook init
check "prices are published again" publish
check "four contracts are there, one with 96 hours of grace" contracts ann ben dark 'late "grace_hours": 96'
as_of=2026-10-11T00:00:00Z
{
	for t in ann ben late; do usage "$t-1" $t 2026-10-10T00:00:00Z a 10000 0 0; done
	for t in ann ben; do usage "$t-2" $t 2026-10-10T00:00:00Z b 5000 0 0; done
	usage dark-1 dark 2026-10-10T00:00:00Z a 1000 0 0
	usage dark-2 dark 2026-10-10T00:00:00Z a 100 100 0
} | check "usage of October is booked" book_usage 3
check "the night in which it is due" night 2026-11-02
equal "sets aside who has usage on hold: 5000 tokens and a request; 100 tokens that nothing was priced by" "$(parked)" \
	'ann 2026-10 held_above_limit 5 of 5001;ben 2026-10 held_above_limit 5 of 5001;dark 2026-10 held_above_limit ? of 100'
as_of=2026-11-02T12:00:00Z
refused "by hand the month is not closed" 7 'a draft of ann is not final, parked: held_above_limit' tollbook close 2026-10 --check --as-of $as_of
for t in ann ben dark; do check "fay takes what $t has on hold as it is" release $t $as_of; done
{
	usage late-2 late 2026-10-11T00:00:00Z c 1000 0 0
	usage ben-3 ben 2026-10-11T00:00:00Z b 1 0 0
	usage dark-3 dark 2026-10-11T00:00:00Z a 900 900 0
} | check "then more comes of all but ann; the average price rises for her, too" book_usage 4
check "the next night" night 2026-11-03
equal "invoices ann, who has no more on hold, whatever it is estimated at now" "$(final '')" 'ann period 1000 2026-11-03'
equal "and sets aside those who have more, also where nobody knows what it is worth" "$(parked)" \
	'ben 2026-10 held_above_limit 5.313563 of 5003;dark 2026-10 held_above_limit ? of 1000'
check "fay takes that as well, of dark" release dark 2026-11-03T12:00:00Z
check "the night in which the last grace is over" night 2026-11-05
equal "leaves ben alone" "$(final '')" 'ann period 1000 2026-11-03;dark period 100 2026-11-04;late period 1300 2026-11-05'
check "the books reconcile, too" tollbook reconcile --quiet
report
