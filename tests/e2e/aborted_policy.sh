#!/usr/bin/env bash
# What a tenant's contract says about usage of aborted requests: it is billed as reported, or held with what it may be worth, until a later
# contract bills it, or somebody takes it back.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

october=2026-10-20T10:00:00Z

# A dollar for each token of input, two for each of output.
cat >"$room/book.json" <<'END'
{"tollbook_prices": 1, "book": "list", "currency": "USD", "effective": "2026-01-01T00:00:00Z", "free": ["requests"],
 "rules": [{"model": "small", "prices": {"input_text_uncached_tokens": {"price": "1", "per": 1}, "output_text_tokens": {"price": "2", "per": 1}}}]}
END
# contract TENANT EFFECTIVE [TERMS]
contract() {
	local terms=${3:-}
	[ -z "$terms" ] || terms=", \"terms\": {$terms}"
	printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [{"tenant": "%s", "name": "%s", "currency": "USD", "zone": "UTC", "book": "list", "issuer": "TF", "effective": "%s"%s}]}\n' \
		"$1" "$1" "$2" "$terms" >"$room/tenants.json"
	tollbook tenant apply --quiet --as-of 2026-01-01 "$room/tenants.json"
}
hold='"aborted_usage": "hold"' bill='"aborted_usage": "bill_reported"'
# request ID TENANT STATUS IN OUT [TIME]
request() { envelope "$1" "$2" "${6:-$october}" "\"status\":\"$3\",$(quantities small "$4" "$5")"; }
# A request of 100 in and 50 out that came to its end: 200; and an aborted one of 40 in and 9 out: 58.
both() { request "$1-1" "$1" completed 100 50; request "$1-2" "$1" aborted 40 9; }
quoted() {
	both cyd >"$room/both.ndjson" && contract cyd 2026-01-01 "$hold" &&
		{ tollbook prices quote --book "$room/book.json" --contract "$room/tenants.json" --tenant cyd --event "$room/both.ndjson" >"$room/quote" 2>&1 || [ $? = 7 ]; }
}
books() { cat >"$room/usage.ndjson" && ingest "$room/usage.ndjson"; }
booked() { check "usage: $1" books <<<"$2"; }
charged() {
	sql "SELECT trim_scale(COALESCE(sum(c.amount), 0)) FROM finance.charge c JOIN finance.rating_in_force r USING (rating_id)
	      WHERE r.tenant = '$1' AND r.period = '${2:-2026-10}'"
}
held() {
	sql "SELECT h.reason, m.name, h.quantity FROM finance.hold h JOIN metering.meter m USING (meter_id) JOIN finance.rating_in_force r USING (rating_id)
	      WHERE r.tenant = '$1' AND r.period = '${2:-2026-10}' ORDER BY h.ordinal" | tr '\n' ' '
}
worth() { tollbook status --as-of "$as_of" --format csv | tr -d '\r' | grep '^held,worth' || echo nothing; }

new_database aborted
check "the books are set up" tollbook init
check "a dollar a token in, two a token out" tollbook prices publish --quiet "$room/book.json"
check "ann's contract says nothing about aborted usage" contract ann 2026-01-01
check "bob's says that it is billed as reported" contract bob 2026-01-01 "$bill"
check "cyd's says that it is held" contract cyd 2026-01-01 "$hold"
refused "no contract says anything else" 3 'aborted_usage' contract dan 2026-01-01 '"aborted_usage": "waive"'

booked "for ann, bob and cyd: a request that ended (200) and an aborted one of 40 in, 9 out (58)" "$(both ann; both bob; both cyd)"
check "they are rated" finds rate
equal "ann is charged both" "$(charged ann) $(held ann)" '258 '
equal "so is bob" "$(charged bob) $(held bob)" '258 '
equal "cyd is charged the one that ended" "$(charged cyd)" 200
equal "and the other is held: 1 request, 40 in, 9 out" "$(held cyd)" \
	'aborted_usage|requests|1 aborted_usage|input_text_uncached_tokens|40 aborted_usage|output_text_tokens|9 '
equal "with what it may be worth" "$(worth)" 'held,worth,USD,58.00'
equal "rate shows it" "$(tollbook rate --as-of "$as_of" --tenant cyd --format csv 2>/dev/null | tr -d '\r' | grep -c aborted_usage)" 3
check "explain says what it waits for" grep -q 'not invoiced: held, aborted_usage.*bill_reported' <<<"$(tollbook explain --event cyd /gateway cyd-2)"
check "and that the other is charged" grep -q 'state.*not_drafted' <<<"$(tollbook explain --event cyd /gateway cyd-1)"
check "the report of requests" tollbook report requests --quiet --tenant cyd --period 2026-10 --format csv -o "$room/requests.csv"
equal "holds the three meters of the one, and none of the other" \
	"$(grep -c 'cyd-2.*aborted_usage' "$room/requests.csv") $(grep -c 'cyd-1.*aborted_usage' "$room/requests.csv")" '3 0'
check "a quote of the same events" quoted
equal "comes to the same" "$(grep -c 'held: .* aborted_usage' "$room/quote") $(grep -ow 200 "$room/quote" | head -n 1)" '3 200'
check "the books reconcile" tollbook reconcile --quiet

# What is held is not used up, and other statuses are none of it.
check "eve has 100 tokens of input free, and aborted usage is held" contract eve 2026-01-01 \
	"$hold, \"allowances\": [{\"name\": \"included\", \"meters\": [\"input_text_uncached_tokens\"], \"quantity\": 100}]"
booked "an aborted request of 40 in, then one of 100 in, a failed one of 1 in and an incomplete one of 2" \
	"$(request e1 eve aborted 40 0; request e2 eve completed 100 0; request e3 eve failed 1 0; request e4 eve incomplete 2 0)"
check "they are rated" finds rate
equal "the whole allowance is left to the others: 3 is charged" "$(charged eve)" 3
equal "and 40 is held" "$(held eve)" 'aborted_usage|requests|1 aborted_usage|input_text_uncached_tokens|40 '

# The time of the usage counts.
check "fay's contract holds it from 15 October on" contract fay 2026-01-01
check "and not before" contract fay 2026-10-15 "$hold"
booked "an aborted request of the 10th (5 in) and one of the 20th (7 in)" \
	"$(request f1 fay aborted 5 0 2026-10-10T00:00:00Z; request f2 fay aborted 7 0)"
check "they are rated" finds rate
equal "the first is charged" "$(charged fay)" 5
equal "the second held" "$(held fay)" 'aborted_usage|requests|1 aborted_usage|input_text_uncached_tokens|7 '

# A later contract.
check "cyd's next contract, from December on, says nothing" contract cyd 2026-12-01
check "all is rated" finds rate
equal "what is held of October stays held" "$(charged cyd)" 200
check "a later one says that it is billed" contract cyd 2026-12-02 "$bill"
check "all is rated" finds rate
equal "October is charged as a whole" "$(charged cyd) $(held cyd)" '258 '
equal "at stake are the 47 tokens in of eve and fay, at what one cost on average: 428 for 528" "$(worth)" 'held,worth,USD,38.098485'
check "the ratings of before and of now are proved" tollbook reconcile --quiet

# A provisional count is held, its final count is charged.
check "gus's aborted usage is held" contract gus 2026-01-01 "$hold"
booked "a stream of gus that was cut: 40 in, 9 out" "$(request g1 gus aborted 40 9 | sed 's/"status"/"measurement":{"method":"gateway","complete":false,"unknown":[]},&/')"
check "it is rated" finds rate
equal "it is held" "$(charged gus) $(held gus | grep -o 'output_text_tokens|9')" '0 output_text_tokens|9'
booked "its final count: completed, 40 in, 30 out" "$(request g1 gus completed 40 30)"
check "it is rated" finds rate
equal "40 and 2 x 30 are charged, and nothing is held" "$(charged gus) $(held gus)" '100 '

# A period that is invoiced.
check "hal's aborted usage is held" contract hal 2026-01-01 "$hold"
booked "200 for hal, and 58 that is aborted" "$(both hal)"
check "it is rated" finds rate
check "October of hal is drafted" exits 0 tollbook invoice draft --as-of "$as_of" --tenant hal --period 2026-10
check "and invoiced" exits 0 tollbook invoice finalize --as-of "$as_of" --tenant hal --period 2026-10
check "then hal's contract bills it" contract hal 2026-11-20 "$bill"
check "all is rated" finds rate
equal "what is out does not change" "$(charged hal) $(held hal | grep -o 'output_text_tokens|9')" '200 output_text_tokens|9'
plan=$(tollbook rerate plan --as-of "$as_of" --format csv --period 2026-10 --tenant hal --reason held_usage | tr -d '\r' | sed 1d | head -n 1 | cut -d, -f1)
check "a re-rate is approved" tollbook rerate approve --quiet --as-of "$as_of" --by eve "$plan"
check "and applied" tollbook rerate apply --quiet --as-of "$as_of" "$plan"
equal "the 58 are an adjustment" "$(sql "SELECT trim_scale(sum(exact_amount)) FROM finance.adjustment WHERE tenant = 'hal'") $(held hal)" '58 '
check "somebody takes eve's aborted request back" tollbook usage void eve /gateway e1 --reason metering_error --ticket S-1 --request r1 --as-of "$as_of" --by sue
check "it is rated" finds rate
equal "nothing of eve is held" "$(charged eve) $(held eve)" '3 '
check "the books reconcile" tollbook reconcile --quiet
report
