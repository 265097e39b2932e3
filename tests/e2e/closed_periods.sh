#!/usr/bin/env bash
# Rating where periods are closed: charges stay as they are in force, what is late is held, and a re-rate rates everything again, with
# the versions that stand in, and carries on into later months.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# book NAME EFFECTIVE INPUT-PRICE: the price of input of small is JSON; large costs 3 for a million.
book() {
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "USD", "effective": "%s", "free": ["requests"], "rules": [' "$1" "$2"
	printf '{"model": "small", "name": "small", "prices": {"input_text_uncached_tokens": %s}, "fallback": {"output_text_tokens": "input_text_uncached_tokens"}}, ' "$3"
	printf '{"model": "large", "prices": {"input_text_uncached_tokens": {"price": "3", "per": 1000000}}, "fallback": {"output_text_tokens": "input_text_uncached_tokens"}}]}\n'
}
publish() { book "$@" >"$room/book.json" && tollbook prices publish --quiet "$room/book.json"; }
flat() { printf '{"price": "%s", "per": 1000000}' "$1"; }
yearly() { printf '{"tiers": "graduated", "per": 1000000, "counter": {"reset": "year"}, "steps": [{"up_to": 1000000, "price": "%s"}, {"price": "1"}]}' "$1"; }
# tenant TENANT BOOK [MORE-KEYS]
tenant() {
	printf '{"tenants": [{"tenant": "%s", "name": "%s", "currency": "USD", "zone": "UTC", "book": "%s", "effective": "2026-01-01"%s}]}\n' \
		"$1" "$1" "$2" "${3:+, $3}" >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
# used ID TENANT DAY MODEL INPUT: on a day of 2026, at noon.
used() { usage "$1" "$2" "2026-${3}T12:00:00Z" "$4" "$5" 0 0; }
booked() { check "usage: $1" finds ingest <(printf '%s\n' "$2"); }
rated() { check "it is rated${1:+: $1}" finds rate; }
# invoiced PERIOD: all of it.
invoiced() {
	check "$1 is drafted" tollbook invoice draft --quiet --as-of "$as_of" --period "$1"
	check "$1 is invoiced" tollbook invoice finalize --quiet --as-of "$as_of" --period "$1"
}
closed() { sql "INSERT INTO finance.period_lock (period, state, reason, note, accepted, who, at) VALUES ('$1', '$2', 'reviewed', '', '', '${3:-eve}', now())"; }
# rerated PERIOD TENANT [OPTIONS]: planned, approved by somebody else, applied.
rerated() {
	local id
	tollbook rerate plan --quiet --as-of "$as_of" --period "$1" --tenant "$2" --reason price_error --ticket T-1 "${@:3}" >"$room/plan" 2>&1 || { cat "$room/plan"; return 1; }
	id=$(sql 'SELECT max(rerate_id) FROM finance.rerate')
	tollbook rerate approve --quiet --as-of "$as_of" --by eve "$id" && tollbook rerate apply --quiet --as-of "$as_of" "$id"
}
# Charges in force of a tenant's period: MODEL VERSION TIER QUANTITY AMOUNT, and holds: REASON QUANTITY.
charged() {
	sql "SELECT c.model, v.version, c.tier, c.quantity, trim_scale(c.amount)
	       FROM finance.charge c JOIN finance.current_rating r USING (rating_id) LEFT JOIN finance.price_book_version v USING (price_book_version_id)
	      WHERE r.tenant = '$1' AND r.period = '$2' AND c.price > 0 ORDER BY c.ordinal" | tr '|\n' ' ;'
}
held() {
	sql "SELECT reason, quantity FROM finance.hold JOIN finance.current_rating r USING (rating_id)
	      WHERE r.tenant = '$1' AND r.period = '$2' AND meter_id = 2 ORDER BY ordinal" | tr '|\n' ' ;'
}
# The checks of ratings alone: digests, and rating again.
verified() { check "every rating is what its inputs come to${1:+: $1}" no_difference; }
no_difference() { ! tollbook reconcile 2>&1 | grep -E '^8 .*DIFFERENT' || { tollbook reconcile 2>&1 | grep -A3 'rating again\|digests of their'; return 1; }; }
runs() { sql "SELECT kind, count(*) FROM finance.rating_run GROUP BY kind ORDER BY kind" | tr '|\n' ' ;'; }

new_database closed_periods
check "the books are set up" tollbook init
check "std: a million costs 2" publish std 2026-01-01T00:00:00Z "$(flat 2)"
check "ann has a contract" tenant ann std
check "and bob" tenant bob std
booked "1.5 million of ann's in October, 1 million of bob's" "$(used a1 ann 10-05 small 1500000; used a2 ann 10-05 large 1000000; used b1 bob 10-05 small 1000000)"
rated
invoiced 2026-10

# What is late waits, and the charges stay, however often.
booked "another half a million of ann's" "$(used a3 ann 10-06 small 500000)"
rated
booked "and a quarter" "$(used a4 ann 10-07 small 250000)"
rated
equal "the charges stay" "$(charged ann 2026-10)" 'large 1 0 1000000 3;small 1 0 1500000 3;'
equal "what is late is held once" "$(held ann 2026-10)" 'period_invoiced 750000;'
verified

# A re-rate counts it.
check "October of ann is rated again" rerated 2026-10 ann
equal "2.25 million for 4.5" "$(charged ann 2026-10)" 'large 1 0 1000000 3;small 1 0 2250000 4.5;'
equal "nothing is held" "$(held ann 2026-10)" ''
equal "bob is not rated again" "$(sql "SELECT count(*) FROM finance.rating WHERE tenant = 'bob'")" 1
verified
booked "late after the re-rate" "$(used a5 ann 10-08 small 750000)"
rated
equal "what the re-rate put in force stays" "$(charged ann 2026-10)" 'large 1 0 1000000 3;small 1 0 2250000 4.5;'
equal "and only what is late since is held" "$(held ann 2026-10)" 'period_invoiced 750000;'
verified

# A version that stands in, though it begins in December: a million a year at 5, the rest at 1.
check "std 2, from December on" publish std 2026-12-01T00:00:00Z "$(yearly 5)"
rated "a new version changes nothing that is closed"
equal "October is at 2" "$(charged ann 2026-10)" 'large 1 0 1000000 3;small 1 0 2250000 4.5;'
check "October of ann is rated with it" rerated 2026-10 ann --model small --prices std@2
equal "small is at std 2, large is not" "$(charged ann 2026-10)" 'large 1 0 1000000 3;small 2 1 1000000 5;small 2 2 2000000 2;'
verified
check "rated again, it stays" rerated 2026-10 ann
equal "it prices October for good" "$(charged ann 2026-10)" 'large 1 0 1000000 3;small 2 1 1000000 5;small 2 2 2000000 2;'
verified "made before it and after it"

# What is carried over: cal has a yearly counter from the start, November is closed too, December is open.
check "year: the first million of a year costs 4, the rest 1" publish year 2026-01-01T00:00:00Z "$(yearly 4)"
check "cal has it" tenant cal year
as_of=2027-01-05T00:00:00Z
booked "a million in October, one in November, one in December" "$(used c1 cal 10-05 small 1000000; used c2 cal 11-05 small 1000000; used c3 cal 12-05 small 1000000)"
rated
invoiced 2026-10
invoiced 2026-11
equal "October fills the step, so November and December cost 1" "$(charged cal 2026-10)$(charged cal 2026-11)$(charged cal 2026-12)" \
	'small 1 1 1000000 4;small 1 2 1000000 1;small 1 2 1000000 1;'
booked "October of cal is corrected to half a million" "$(correction k1 c1 cal 2026-10-05T12:00:00Z small 500000 0 | sed 's|/gateway|/short|g')"
before=$(charged cal 2026-12)
rated
equal "late, it is held and changes no later month" "$(charged cal 2026-12)" "$before"
more=$(used c4 cal 09-05 small 600000)
booked "0.6 million of September, which is open" "$more"
rated
equal "September takes 0.6 million of the step" "$(charged cal 2026-09)" 'small 1 1 600000 2.4;'
equal "closed months do not move" "$(charged cal 2026-10)$(charged cal 2026-11)" 'small 1 1 1000000 4;small 1 2 1000000 1;'
verified
check "September is rated again" rerated 2026-09 cal
equal "and October, with what was late: 0.4 of its half a million at 4, 0.1 at 1" "$(charged cal 2026-10)" 'small 1 1 400000 1.6;small 1 2 100000 0.1;'
equal "not November, the step is full" "$(charged cal 2026-11)" 'small 1 2 1000000 1;'
verified

# A full credit note releases a period: what was late, and the prices of today, count at the next rating.
booked "late usage of bob's October" "$(used b2 bob 10-06 small 500000)"
rated
equal "it is held" "$(charged bob 2026-10)$(held bob 2026-10)" 'small 1 0 1000000 2;period_invoiced 500000;'
check "bob's invoice is credited in full" tollbook credit-note issue --quiet --as-of "$as_of" --full --reason wrong_party \
	"$(sql "SELECT number FROM finance.invoice WHERE tenant = 'bob' AND status = 'final'")"
rated "though nothing is new"
equal "all of October is charged" "$(charged bob 2026-10)$(held bob 2026-10)" 'small 1 0 1500000 3;'
verified

# A month that is closed without an invoice.
booked "December of dan" "$(used d1 dan 12-05 small 1000000)"
check "dan has a contract" tenant dan std
rated
equal "it is charged at std 2" "$(charged dan 2026-12)" 'small 2 1 1000000 5;'
closed 2026-12 soft
booked "late" "$(used d2 dan 12-06 small 500000)"
rated
equal "nothing is charged, since nothing is invoiced" "$(charged dan 2026-12)" ''
equal "everything is held" "$(held dan 2026-12)" 'period_closed 1500000;'
verified
booked "more" "$(used d3 dan 12-07 small 100000)"
rated
equal "it adds up" "$(held dan 2026-12)" 'period_closed 1600000;'
check "December of dan is rated again" rerated 2026-12 dan
equal "all of it is charged" "$(charged dan 2026-12)" 'small 2 1 1000000 5;small 2 2 600000 0.6;'
equal "and booked as adjustments" "$(sql "SELECT sum(exact_amount)::numeric(9,2), sum(amount_minor) FROM finance.adjustment WHERE tenant = 'dan'")" '5.60|560'
booked "and more" "$(used d4 dan 12-08 small 50000)"
rated
equal "what is booked stays charged" "$(charged dan 2026-12)" 'small 2 1 1000000 5;small 2 2 600000 0.6;'
equal "what is late is held" "$(held dan 2026-12)" 'period_closed 50000;'
closed 2026-12 reopen_asked eve
closed 2026-12 open ann
rated "December is open again"
equal "but dan's is booked, and waits for a re-rate" "$(held dan 2026-12)" 'period_closed 50000;'
equal "cal's, of which nothing is booked, goes on" "$(charged cal 2026-12)" 'small 1 2 1000000 1;'
verified

# A version that stands in tells requests apart by what the one in force did not.
check "big, from December on: requests of 1000 input tokens and more cost 9" publish std 2026-12-15T00:00:00Z \
	'{"per": 1000000, "brackets": [{"price": "1"}, {"from": 1000, "price": "9"}]}'
check "eva has a contract" tenant eva std
event() { envelope "$1" "$2" "$3" "$(quantities "$4" "$5" "$6"),\"context_input_tokens\":$5"; }
booked "two requests in one quarter of November, of 900 and of 1000 tokens" \
	"$(event e1 eva 2026-11-05T12:00:00Z small 900 0; event e2 eva 2026-11-05T12:01:00Z small 1000 0)"
rated
equal "they cost 2 a million" "$(charged eva 2026-11)" 'small 1 0 1900 0.0038;'
check "November of eva is rated with it" rerated 2026-11 eva --prices std@3
equal "each by its size" "$(charged eva 2026-11)" 'small 3 0 900 0.0009;small 3 0 1000 0.009;'
equal "November is open: rating it goes on with that version" "$(booked "one more" "$(event e3 eva 2026-11-06T12:00:00Z small 100 0)" >/dev/null; rated >/dev/null; charged eva 2026-11)" \
	'small 3 0 1000 0.001;small 3 0 1000 0.009;'
verified

report
