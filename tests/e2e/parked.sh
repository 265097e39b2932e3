#!/usr/bin/env bash
# Parking: a tenant whose month is odd, or for whom something fails, is set aside with its reason, and the others are invoiced; a person takes it
# as it is, or its cause goes away.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

cat >"$room/tollbook.conf" <<'END'
[night]
reconcile = open
[limits]
held = USD 5
charge_jump = 3
charge_jump_from = USD 50
END

# One unit of money for a thousand input tokens of model a; nothing for requests.  "dear" asks 10^12 for a single token: an invoice cannot hold a
# million of them, and a charge not a hundred million.
book() { # NAME EFFECTIVE RULE
	printf '{"tollbook_prices": 1, "book": "%s", "currency": "USD", "effective": "%s", "free": ["requests"], "rules": [%s]}\n' "$@" >"$room/book.json"
	tollbook prices publish --quiet "$room/book.json"
}
rule() { printf '{"model": "%s", "prices": {"input_text_uncached_tokens": {"price": "%s", "per": %s}}}' "$@"; }
dear() { printf '{"model": "a", "prices": {"input_text_uncached_tokens": {"price": "%s", "per": 1}, "output_text_tokens": {"price": "%s", "per": 1}}}' "$1" "$1"; }
# contracts 'TENANT BOOK [MORE]'...
contracts() {
	printf '%s\n' "$@" | awk 'BEGIN { printf "{\"issuers\": [{\"issuer\": \"TF\", \"name\": \"Token Factory\"}], \"tenants\": [" }
		{ more = $0; sub(/^[^ ]+ [^ ]+ ?/, "", more)
		  printf "%s{\"tenant\": \"%s\", \"name\": \"%s\", \"issuer\": \"TF\", \"currency\": \"USD\", \"zone\": \"UTC\", \"book\": \"%s\", \"effective\": \"2026-01-01\"%s}", (NR > 1 ? ", " : ""), $1, $1, $2, (more == "" ? "" : ", " more) }
		END { print "]}" }' >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
book_usage() { cat >"$room/usage-$1.ndjson"; ingest "$room/usage-$1.ndjson"; }
used() { usage "$1-$2-$3-${5:-0}" "$1" "2026-$2-15T12:00:00Z" "${4:-a}" "$3" 0 "${5:-0}"; } # TENANT MONTH INPUT [MODEL [OUTPUT]]

# night DATE: of that day, half an hour late.
night() { tollbook nightly --config "$room/tollbook.conf" --date "$1" --as-of "$1T02:30:00Z" >"$room/said" 2>&1; }
night_ends() { local code=0; night "$2" || code=$?; [ $code = "$1" ] || { echo "exit code $code"; cat "$room/said"; return 1; }; }
said() { grep -o "$1.*" "$room/said" | sed 's/  *([0-9.]* s)$//'; }
parked() { tollbook parked list --format csv "$@" | tr -d '\r' | sed 1d | cut -d, -f2-6,9; }
final() { sql "SELECT tenant || ' ' || period || ' ' || net_minor FROM finance.invoice WHERE status = 'final' AND period = '$1' ORDER BY tenant" | tr '\n' ';'; }
number_of() { sql "SELECT parked_id FROM finance.parked_now WHERE tenant = '$1' AND reason = '$2'"; }
release() { local id; id=$(number_of "$1" "$2"); shift 2; tollbook parked release --quiet --by fay "$id" "$@"; }

spoil() { # TABLE CHANGE: behind the program's back
	sql "SET session_replication_role = replica; ALTER TABLE finance.$1 DISABLE TRIGGER append_only; $2; ALTER TABLE finance.$1 ENABLE ALWAYS TRIGGER append_only"
}
spoil_price() { spoil charge "UPDATE finance.charge h SET price = h.price $1 FROM finance.current_rating r WHERE r.rating_id = h.rating_id AND r.tenant = 'cook' AND r.period = '2026-11' AND h.price <> 0"; }
spoil_currency() { spoil contract "UPDATE finance.contract SET currency = '$1' WHERE tenant = 'mix'"; }

new_database parked
check "the books are set up" tollbook init
check "prices are published" book usd 2026-01-01T00:00:00Z "$(rule a 1 1000)"
check "also very high ones" book dear 2026-01-01T00:00:00Z "$(dear 1000000000000)"
check "and one for a model whose name is long" book names 2026-01-01T00:00:00Z "$(rule aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 1 1000)"
check "tenants are there" contracts 'ann usd' 'hop usd' 'new usd' 'tiny usd' 'hold usd' 'heap usd' 'dark usd' 'cook usd' 'mix usd' \
	'late usd "grace_hours": 48' 'vast dear' 'large dear' 'slow names'

# History: ann and hop used 10.00 a month, tiny 1.00.
for month in 09 10; do
	used ann $month 10000; used hop $month 10000
	used tiny $month 1000; used vast $month 0 a 1
done | check "usage of September and October is booked" book_usage 10
as_of=2026-11-01T12:00:00Z
check "it is rated" exits 0 rate
check "drafted" exits 0 tollbook invoice draft --quiet --as-of $as_of
check "and final" exits 0 tollbook invoice finalize --quiet --as-of $as_of

# November.
as_of=2026-12-01T12:00:00Z
{
	used ann 11 30000       # 30.00 = 3 x 10.00: no jump
	used hop 11 50001       # 50.00 > 3 x 10.00, and not below 50
	used tiny 11 49000      # 49 x its history, but below 50
	used new 11 200000000   # no history
	used hold 11 10000; used hold 11 4000 b # model b has no price; by the average price of its meter 4.00
	used heap 11 10000; used heap 11 6000 b # 6.00: more than 5
	used dark 11 10000; usage dark-11-cached dark 2026-11-15T12:00:00Z a 70 70 0 # nothing is priced by cached tokens
	used cook 11 5000; used mix 11 5000; used late 11 5000
	used vast 11 0 a 100000000; usage vast-12 vast 2026-12-01T06:00:00Z a 0 0 1
	used large 11 0 a 1000000
	used slow 11 1000 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
} | check "usage of November is booked" book_usage 11
check "the slow one has a credit whose pattern takes for ever" tollbook credit grant slow 5 --quiet --as-of $as_of --kind goodwill --reason goodwill --model '(a|aa)+[cd]'

# By hand.
refused "rating says which tenant fails, with the code of that" 6 'rating 2026-11 of vast' rate
equal "and has rated all the others" "$(sql "SELECT string_agg(tenant, ' ' ORDER BY tenant) FROM finance.current_rating WHERE period = '2026-11'")" 'ann cook dark heap hold hop large late mix new slow tiny'
equal "it waits to be rated, with its later months" "$(sql "SELECT tenant, period FROM finance.rating_due" | tr '\n' ' ')" 'vast|2026-11 vast|2026-12 '
refused "again it fails again" 6 'rating 2026-11 of vast' rate
equal "and no run is recorded for that" "$(sql "SELECT count(*) FROM finance.rating_run")" 2
refused "drafting says which tenant fails" 7 '2026-11 of large' tollbook invoice draft --as-of $as_of --period 2026-11
equal "and drafts the others" "$(sql "SELECT string_agg(tenant, ' ' ORDER BY tenant) FROM finance.invoice WHERE status = 'draft'")" 'ann cook dark heap hold hop late mix new slow tiny'
refused "finalizing says which tenant fails" 7 'takes too long to match' tollbook invoice finalize --dry-run --as-of $as_of --period 2026-11
equal "and goes on with the others" "$(tollbook invoice finalize --dry-run --quiet --as-of $as_of --period 2026-11 --format csv | grep -c final)" 10

# The night of 2 December: November ended a day and two hours ago.
spoil_price '* 2'
spoil_currency EUR
check "the night is done, with books that do not agree" night_ends 4 2026-12-02
equal "what is odd or failed is parked, each for its reason" "$(parked | sort)" "$(printf '%s\n' \
	'cook,2026-11,reconcile_difference,2,,parked' 'dark,2026-11,held_above_limit,,USD,parked' 'heap,2026-11,held_above_limit,6,USD,parked' \
	'hop,2026-11,charge_jump,50,USD,parked' 'large,2026-11,draft_failed,,,tried again' 'mix,2026-11,currency_mismatch,2,,parked' \
	'slow,2026-11,finalize_failed,,,tried again' 'vast,2026-11,rating_failed,,,tried again')"
equal "the others are invoiced; who has 48 hours of grace is not yet" "$(final 2026-11)" 'ann 2026-11 3000;hold 2026-11 1000;new 2026-11 20000000;tiny 2026-11 4900;'
equal "numbers have no gap" "$(sql "SELECT count(*), max(series_number) FROM finance.invoice WHERE status = 'final'")" '12|12'
equal "each is a unit of the night" "$(sql "SELECT unit, result::json ->> 'number', result::json ->> 'total' FROM finance.night_unit WHERE step = 'finalize' ORDER BY unit" | tr '\n' ' ')" \
	'ann 2026-11 period|TF-INV-2026-000009|30.00 hold 2026-11 period|TF-INV-2026-000010|10.00 new 2026-11 period|TF-INV-2026-000011|200000.00 tiny 2026-11 period|TF-INV-2026-000012|49.00 '
check "a jump says what it is measured by" grep -qF 'net 50.00 USD is more than 3 times 10.00, the highest of the last 2 invoices' <(tollbook parked list --tenant hop)

# A person.
refused "by hand it is refused as well" 7 'parked (charge_jump): tollbook parked list shows why' tollbook invoice finalize --as-of $as_of --tenant hop
refused "nothing is released without a note" 2 'is released with a note' tollbook parked release --tenant hop
refused "nor without saying what" 2 'by numbers, or by a tenant' tollbook parked release --note fine
refused "nor what is not parked" 4 'nothing is parked under the number 999' tollbook parked release "$(number_of dark held_above_limit)" 999 --note fine
equal "then nothing at all is" "$(sql "SELECT count(*) FROM finance.parked_release")" 0
check "a dry run changes nothing" release hop charge_jump --note 'a launch' --dry-run
check "fay takes the jump of hop as it is" release hop charge_jump --note 'a launch' --ticket T-2
check "and what dark has on hold" tollbook parked release --quiet --by fay --tenant dark --note 'cached tokens are free'
refused "once" 4 'nothing of dark is parked' tollbook parked release --tenant dark --note again
equal "that is in the audit log" "$(sql "SELECT who, subject, reason, ticket, after FROM finance.audit_log WHERE action = 'parked release' ORDER BY audit_id" | tr '\n' ';')" \
	'fay|2026-11 of hop|charge_jump|T-2|released: a launch;fay|2026-11 of dark|held_above_limit||released: cached tokens are free;'

# The night of 3 December: causes are gone; hop used more than was looked at.
as_of=2026-12-02T12:00:00Z
used hop 11 1000 | check "hop has used 1.00 more" book_usage 12
check "cook is as it was" spoil_price '/ 2'
check "mix too" spoil_currency USD
check "the credit is revoked" tollbook credit revoke 1 --quiet --as-of $as_of --reason granted_in_error
check "model b has a price" book usd 2026-11-01T00:00:00Z "$(rule a 1 1000), $(rule b 1 1000)"
check "and dear is dear no more" book dear 2026-11-01T00:00:00Z "$(dear 0.001)"
check "the night is done, and something waits for a person" night_ends 7 2026-12-03
equal "hop is parked again, since more is measured; all else is let go" "$(parked)" 'hop,2026-11,charge_jump,51,USD,parked'
equal "and invoiced" "$(final 2026-11)" 'ann 2026-11 3000;cook 2026-11 500;dark 2026-11 1000;heap 2026-11 1600;hold 2026-11 1000;large 2026-11 100000;late 2026-11 500;mix 2026-11 500;new 2026-11 20000000;slow 2026-11 100;tiny 2026-11 4900;vast 2026-11 10000000;'
equal "of what went by itself the list says so" "$(tollbook parked list --all --tenant mix --format csv | tr -d '\r' | sed 1d | cut -d, -f9-13)" 'let go,2026-12-03T02:00:00Z,nightly,its cause is gone,'
check "fay takes that as well" release hop charge_jump --note 'a launch'
check "the night after" finds night 2026-12-04
equal "invoices it" "$(sql "SELECT net_minor, issued_on FROM finance.invoice WHERE tenant = 'hop' AND period = '2026-11'")" '5100|2026-12-04'
equal "nothing is parked" "$(parked)" ''
equal "each was parked once, but hop" "$(sql "SELECT count(*), count(DISTINCT tenant) FROM finance.parked")" '9|8'
refused "a re-rate at such prices still fails as a whole" 6 'rating 2026-11 of vast' tollbook rerate plan --as-of 2026-12-04T12:00:00Z --period 2026-11 --tenant vast --prices dear@1 --reason dispute --ticket T-1
# Old books, and their first night: ann used 10.00 in December and 60.00 in January, mute a model without any price.
new_database old
check "old books are set up" tollbook init
check "with prices" book usd 2026-01-01T00:00:00Z "$(rule a 1 1000)"
check "and contracts" contracts 'ann usd' 'mute usd'
as_of=2027-02-01T12:00:00Z
{ used ann 12 10000; usage jan ann 2027-01-15T12:00:00Z a 60000 0 0; usage mute mute 2027-01-15T12:00:00Z nameless 7000000 0 0; } | check "usage of both months is booked" book_usage 13
check "the first night, of 3 February, finds something" night_ends 7 2027-02-03
equal "ann's January is more than three times her December, which was due as well; mute's has no draft, and is parked all the same" "$(parked)" \
	'mute,2027-01,held_above_limit,7000,USD,parked
ann,2027-01,charge_jump,60,USD,parked'
equal "her December is invoiced" "$(final 2026-12)" 'ann 2026-12 1000;'
check "the books reconcile" tollbook reconcile --quiet
report
