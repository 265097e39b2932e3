#!/usr/bin/env bash
# Rating: what is new is priced, once; what has no price is held, with its reason; what is invoiced stays as it is.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

# book NAME EFFECTIVE INPUT-PRICE [MORE-RULES]: dollars for a million; output costs 10.
book() {
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "USD", "effective": "%s", "free": ["requests"], "rules": [' "$1" "$2"
	printf '{"model": "small", "prices": {"input_text_uncached_tokens": {"price": "%s", "per": 1000000}, ' "$3"
	printf '"output_text_tokens": {"price": "10", "per": 1000000}}}%s]}\n' "${4:-}"
}
publish() { book "$@" >"$room/book.json" && tollbook prices publish --quiet "$room/book.json"; }
# tenants "TENANT ZONE BOOK"...
tenants() {
	printf '%s\n' "$@" | awk 'BEGIN { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": [" }
		{ printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"currency\": \"USD\", \"zone\": \"%s\", \"book\": \"%s\", \"issuer\": \"TF\", \"effective\": \"2026-01-01\"}", \
			(NR > 1 ? ", " : ""), $1, $1, $2, $3 } END { print "]}" }' >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
books() { cat >"$room/usage.ndjson" && ingest "$room/usage.ndjson"; }
booked() { check "usage: $1" finds books <<<"$2"; }
rated() { check "$1" finds rate "${@:2}"; }

# Charges in force of a tenant's period: METER TIER QUANTITY AMOUNT, of those that cost something.
charged() {
	sql "SELECT replace(m.name, '_text_uncached_tokens', ''), c.tier, c.quantity, trim_scale(c.amount)
	       FROM finance.charge c JOIN finance.current_rating r USING (rating_id) JOIN metering.meter m USING (meter_id)
	      WHERE r.tenant = '$1' AND r.period = '$2' AND c.price > 0 ORDER BY m.meter_id, c.ordinal" | sed 's/_text_tokens//' | tr '|\n' ' ;'
}
held() {
	sql "SELECT reason, replace(m.name, '_text_uncached_tokens', ''), quantity FROM finance.hold JOIN finance.current_rating r USING (rating_id) JOIN metering.meter m USING (meter_id)
	      WHERE r.tenant = '$1' AND m.meter_id = 2 ORDER BY 1" | tr '|\n' ' ;'
}
state() { sql 'SELECT (SELECT count(*) FROM finance.rating_run), (SELECT count(*) FROM finance.rating), (SELECT count(*) FROM metering.summed_batch)'; charges; }
ratings_of() { sql "SELECT count(*) FROM finance.rating WHERE tenant = '$1'"; }
october() { usage "$1" "$2" "2026-10-${3}T12:00:00Z" small "$4" 0 "$5"; }

new_database rating
check "the books are set up" tollbook init
check "a price book is published: a million of input for 2, of output for 10" publish std 2026-01-01T00:00:00Z 2
check "ann and bob have contracts" tenants 'ann UTC std' 'bob UTC std'

# What is new.
booked "ann and bob" "$(october a1 ann 05 1000000 100000; october a2 ann 20 2000000 0; october b1 bob 05 500000 0)"
before=$(state)
rated "a dry run rates" --dry-run
equal "and changes nothing" "$(state)" "$before"
rated "it is rated"
equal "ann: 3 million in for 6, a tenth of a million out for 1" "$(charged ann 2026-10)" 'input 0 3000000 6;output 0 100000 1;'
equal "bob: half a million in for 1" "$(charged bob 2026-10)" 'input 0 500000 1;'
before=$(state)
rated "rated again"
equal "nothing is new, and nothing changes" "$(state)" "$before"
booked "more of ann, nothing of bob" "$(october a3 ann 21 1000000 0)"
rated "it is rated"
equal "ann: 4 million for 8" "$(charged ann 2026-10)" 'input 0 4000000 8;output 0 100000 1;'
equal "ann is rated twice, bob still once" "$(ratings_of ann) $(ratings_of bob)" '2 1'

# A new version in the middle of the month.
check "from the 15th on, a million of input costs 4" publish std 2026-10-15T00:00:00Z 4
rated "it is rated"
equal "ann: 1 million at 2, 3 million at 4" "$(charged ann 2026-10)" 'input 0 1000000 2;input 0 3000000 12;output 0 100000 1;'
equal "bob had nothing after the 15th" "$(charged bob 2026-10)" 'input 0 500000 1;'
booked "bob at the last moment of the old price and at the first of the new one" \
	"$(usage b2 bob 2026-10-14T23:59:59.999999Z small 1000000 0 0; usage b3 bob 2026-10-15T00:00:00Z small 1000000 0 0)"
rated "it is rated"
equal "one at each" "$(charged bob 2026-10)" 'input 0 1500000 3;input 0 1000000 4;'

# A part of it.
booked "ann in October and November, bob in October" \
	"$(october a4 ann 22 1000000 0; usage a5 ann 2026-11-02T12:00:00Z small 1000000 0 0; october b4 bob 22 1000000 0)"
rated "only ann's October is rated" --tenant ann --period 2026-10
equal "ann's October has it" "$(charged ann 2026-10)" 'input 0 1000000 2;input 0 4000000 16;output 0 100000 1;'
equal "ann's November waits, and bob's October" "$(sql 'SELECT tenant, period FROM finance.rating_due ORDER BY 1, 2' | tr '\n' ' ')" 'ann|2026-11 bob|2026-10 '
check "what waits is no difference" tollbook reconcile --quiet
rated "the rest is rated"
equal "ann's November has it" "$(charged ann 2026-11)" 'input 0 1000000 4;'
equal "bob's October has it" "$(charged bob 2026-10)" 'input 0 1500000 3;input 0 2000000 8;'
equal "nothing waits" "$(sql 'SELECT count(*) FROM finance.rating_due')" 0

# A tenant whom nobody knows; at 02:00 UTC on 1 November it is October in New York.
booked "a tenant without a contract" "$(usage n1 new 2026-11-01T02:00:00Z small 1000000 0 0)"
check "rating says that something waits" exits 7 rate
equal "it is held, in a UTC month" "$(held new) $(sql "SELECT period, zone, provisional FROM finance.billing_period WHERE tenant = 'new'")" \
	'unknown_tenant input 1000000; 2026-11|UTC|t'
check "New York gets a contract" tenants 'new America/New_York std'
rated "it is rated"
equal "it is charged, in October" "$(charged new 2026-10)" 'input 0 1000000 4;'
equal "nothing is held" "$(held new)" ''
equal "the UTC month is gone" "$(sql "SELECT period, starts, provisional FROM finance.billing_period WHERE tenant = 'new'")" '2026-10|2026-10-01 04:00:00+00|f'

# An invoice is out.
check "October is drafted" tollbook invoice draft --quiet --as-of $as_of --period 2026-10
check "and made final" tollbook invoice finalize --quiet --as-of $as_of --period 2026-10 --tenant ann
invoice() { sql "SELECT number, total_minor, content_digest FROM finance.invoice WHERE tenant = 'ann'; SELECT md5(string_agg(l::text, ';' ORDER BY line)) FROM finance.invoice_line l JOIN finance.invoice USING (invoice_id) WHERE tenant = 'ann'"; }
before=$(invoice) was=$(charged ann 2026-10)
booked "late usage of ann's October" "$(october a6 ann 23 700000 0)"
check "rating says that something waits" exits 7 rate
equal "it is held: the period is invoiced" "$(held ann)" 'period_invoiced input 700000;'
equal "the charges stay" "$(charged ann 2026-10)" "$was"
equal "the invoice stays" "$(invoice)" "$before"
booked "and more of it" "$(october a7 ann 24 300000 0)"
rated "rated again"
equal "the holds add up" "$(held ann)" 'period_invoiced input 1000000;'
refused "a price from before the newest is refused" 4 'which is not before' publish std 2026-10-10T00:00:00Z 3
check "from the 22nd on, published late, a million costs 6" publish std 2026-10-22T00:00:00Z 6
rated "rated again"
equal "that changes open periods: bob's" "$(charged bob 2026-10)" 'input 0 1500000 3;input 0 1000000 4;input 0 1000000 6;'
equal "and not invoiced ones: ann's" "$(charged ann 2026-10)" "$was"

# Tiers.  Graduated: the first million at 3, the next two at 2, the rest at 1.  Volume: all at the price of the step reached.
steps='"per": 1000000, "steps": [{"up_to": 1000000, "price": "3"}, {"up_to": 3000000, "price": "2"}, {"price": "1"}]'
tiered() {
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"], "rules": [' "$1"
	printf '{"model": "small", "prices": {"input_text_uncached_tokens": {"tiers": "%s", %s}}, "fallback": {"output_text_tokens": "input_text_uncached_tokens"}}]}\n' "$1" "$steps"
}
publish_tiered() { tiered "$1" >"$room/book.json" && tollbook prices publish --quiet "$room/book.json"; }
check "a graduated book" publish_tiered graduated
check "a volume book" publish_tiered volume
check "tenants with tiers" tenants 'gil UTC graduated' 'val UTC volume' 'low UTC volume'
booked "half a million, then 3 million, then one" "$(for t in gil val; do october $t-1 $t 01 500000 0; october $t-2 $t 02 3000000 0; october $t-3 $t 03 1000000 0; done; october low-1 low 01 1000000 0)"
rated "it is rated"
equal "graduated: 1 at 3, 2 at 2, 1.5 at 1" "$(charged gil 2026-10)" 'input 1 1000000 3;input 2 2000000 4;input 3 1500000 1.5;'
equal "volume: all 4.5 at 1" "$(charged val 2026-10)" 'input 3 4500000 4.5;'
equal "volume: a million is in the first step, the border included" "$(charged low 2026-10)" 'input 1 1000000 3;'
booked "one token more" "$(october low-2 low 02 1 0)"
rated "it is rated"
equal "volume: now all at the second step" "$(charged low 2026-10)" 'input 2 1000001 2.000002;'
booked "November begins at the first step again" "$(usage gil-4 gil 2026-11-02T00:00:00Z small 1000000 0 0)"
rated "it is rated"
equal "graduated: November's million at 3" "$(charged gil 2026-11)" 'input 1 1000000 3;'
booked "a correction that takes 3 million back" \
	"$(correction_of() { envelope "$1" "$3" 2026-10-02T12:00:00Z "\"kind\":\"correction\",\"ref\":{\"source\":\"/short\",\"id\":\"$2\"},$(quantities small 0 0)"; }; correction_of gil-9 gil-2 gil; correction_of val-9 val-2 val)"
rated "it is rated"
equal "graduated: 1 at 3, half at 2" "$(charged gil 2026-10)" 'input 1 1000000 3;input 2 500000 1;'
equal "volume: 1.5 at 2" "$(charged val 2026-10)" 'input 2 1500000 3;'

# Prices that cannot be found.
evil=$(printf 'a%.0s' {1..40})-b
check "a pattern that takes for ever" publish evil 2026-01-01T00:00:00Z 2 ', {"model_pattern": "(a+)+b", "service_tier": "*", "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1}}}, {"model_pattern": ".*", "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1}}}'
check "a book with one rule" publish one 2026-10-15T00:00:00Z 2
check "tenants of these" tenants 'eve UTC evil' 'own UTC one' 'non UTC missing'
booked "models without a price" "$(usage e1 eve 2026-10-20T12:00:00Z "$evil" 11 0 0; october o1 own 10 22 0
	usage o2 own 2026-10-20T12:00:00Z other 33 0 0; october n2 non 20 44 0)"
check "rating says that something waits" exits 7 rate
equal "a pattern that cannot be decided holds, and no later rule prices it" "$(held eve)" 'pattern_limit input 11;'
equal "usage before the first version of a book is held, and a model that no rule names" "$(held own)" 'no_price_book input 22;no_rule input 33;'
equal "usage under a book that is not there is held" "$(held non)" 'no_price_book input 44;'
equal "none of them is charged" "$(charged eve 2026-10)$(charged own 2026-10)$(charged non 2026-10)" ''

# The ledger is never read whole, also where nobody has counted it: the index by batch finds what is new.
scans() { sleep 0.3; sql "SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE relname LIKE 'usage_event_2%'"; }
booked "one more event" "$(october one-more ann 26 1 0)"
before=$(scans)
check "it is rated" exits 7 rate
equal "and no month of the ledger was read from end to end for it" "$(scans)" "$before"

# Two at once: the second one finds the first at work, or nothing left to do.
booked "more usage" "$(for n in $(seq 300); do october "many-$n" ann 25 "$n" 0; done)"
two() {
	local first second one=0 other=0
	rate >"$room/rate_1" 2>&1 & first=$!
	rate >"$room/rate_2" 2>&1 & second=$!
	wait $first || one=$?
	wait $second || other=$?
	case "$one $other" in '7 7' | '7 8' | '8 7') ;; *) echo "exit codes $one and $other"; cat "$room"/rate_?; return 1 ;; esac
}
before=$(sql 'SELECT count(*) FROM finance.rating_run')
check "two rating runs at once" two
equal "one of them did it" "$(($(sql 'SELECT count(*) FROM finance.rating_run') - before))" 1
hold_lock() { psql -X -q -d "$TOLLBOOK_DB" -c "SELECT pg_advisory_lock(hashtextextended('tollbook.rate', 0)), pg_sleep(2)" >"$room/lock" 2>&1 & }
hold_lock
sleep 0.5
refused "while another one is at work, rating says so" 8 'another rating run is active' tollbook rate
wait
check "the books reconcile" tollbook reconcile --quiet
report
