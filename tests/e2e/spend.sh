#!/usr/bin/env bash
# Spend for enforcement: what is sent is exact, proved, true at a watermark, and never half of a figure.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
. tests/support/kafka.sh

# book EFFECTIVE INPUT-PRICE: dollars for a million.
book() {
	printf '{"tollbook_prices": 1, "book": "std", "currency": "USD", "effective": "%s", "free": ["requests"], "rules": [' "$1"
	printf '{"model": "small", "prices": {"input_text_uncached_tokens": {"price": "%s", "per": 1000000}, "output_text_tokens": {"price": "10", "per": 1000000}}}]}\n' "$2"
}
publish_book() { book "$@" >"$room/book.json" && tollbook prices publish --quiet "$room/book.json"; }
contract() { printf '{"tenant": "%s", "name": "%s", "currency": "USD", "zone": "%s", "book": "std", "issuer": "TF", "effective": "2026-01-01"}' "$1" "$1" "$2"; }
tenants() {
	printf '{"issuers": [{"issuer": "TF", "name": "Token Factory"}], "tenants": [%s]}' "$(IFS=,; echo "$*")" >"$room/tenants.json"
	tollbook tenant apply --quiet "$room/tenants.json"
}
consume() { tollbook consume --quiet --as-of "$as_of" -b "$broker" -t usage "$@"; }
spend() { tollbook spend publish --as-of "$as_of" "$@"; }
send() { spend --quiet -b "$broker" -t spend; }
dry() { spend --quiet --dry-run "$@"; }
# The values in the topic, by key, the newest of each; without the time they were sent at.
sent() { topic read "${1:-spend}" | sed 's/.*"value":/"value":/' | grep -o '{"spend".*"published_at":"[^"]*"}' | sed 's/,"published_at".*//'; }
newest() { sent "$@" | tac | awk '{ match($0, /"tenant":"[^"]*"/); t = substr($0, RSTART, RLENGTH) } !(t in seen) { seen[t] = 1; print }' | LC_ALL=C sort; }
# part TENANT EXPRESSION: what the newest dry message of a tenant has to say.
without_time() { sed 's/,"published_at".*//'; }
of() { dry "${@:2}" | grep -F "\"tenant\":\"$1\""; }
periods() { of "$@" | sed 's/.*"periods":\(.*\),"watermark".*/\1/'; }
watermark() { of "$@" | sed 's/.*"watermark":\(.*\),"published_at".*/\1/'; }
period() { printf '{"period":"%s","starts":"%s","ends":"%s","invoiced":%s,"rating_run":%s,"charged":%s,"held":%s}' "$@"; }
october='2026-10 2026-10-01T00:00:00Z 2026-11-01T00:00:00Z'
november='2026-11 2026-11-01T00:00:00Z 2026-12-01T00:00:00Z'

new_database spend
check "the books are set up" tollbook init
check "a million of input costs 2, of output 10" publish_book 2026-01-01T00:00:00Z 2
check "ann and bob have contracts, and cyd in Berlin, who used nothing" tenants "$(contract ann UTC)" "$(contract bob UTC)" "$(contract cyd Europe/Berlin)"
new_topic usage 2
new_topic spend 1 cleanup.policy=compact
new_topic events 1

# Usage from a topic and from a file: ann in both months, bob in a model that has no price, a tenant whom nobody knows.
{ usage a1 ann 2026-10-05T12:00:00Z small 1500000 0 1; usage a2 ann 2026-11-02T12:00:00Z small 1 0 0; } >"$room/usage_0"
{ usage b1 bob 2026-11-02T12:00:00Z other 33 0 4; usage b2 bob 2026-11-03T12:00:00Z small 500000 0 0; } >"$room/usage_1"
check "records in one partition" produce usage --partition 0 <"$room/usage_0"
check "and in another" produce usage --partition 1 <"$room/usage_1"
check "they are booked" finds consume
usage g1 ghost 2026-11-02T12:00:00Z small 7 0 0 >"$room/usage.ndjson"
check "and a file" finds ingest "$room/usage.ndjson"

# shellcheck disable=SC2086
equal "before a rating run a tenant with a contract has spent nothing" "$(periods ann)" "[$(period $november false null '{"USD":"0"}' '[]')]"
equal "and the watermark is before the first record" "$(watermark ann | sed 's/"cluster":"[^"]*",//g')" \
	'{"rating_run":0,"batches":0,"last_batch":0,"last_event_time":null,"partitions":[{"topic":"usage","partition":0,"next_offset":0},{"topic":"usage","partition":1,"next_offset":0}]}'
check "usage is rated" exits 7 rate
# 1.5 million at 2 and one token at 10 a million; one token at 2 a million.
# shellcheck disable=SC2086
equal "ann: exact amounts of the month before and of this one" "$(periods ann)" \
	"[$(period $october false 1 '{"USD":"3.00001"}' '[]'),$(period $november false 1 '{"USD":"0.000002"}' '[]')]"
# shellcheck disable=SC2086
equal "bob: what has no price is told by reason and meter" "$(periods bob)" "[$(period $november false 1 '{"USD":"1"}' \
	'[{"reason":"no_rule","meter":"requests","quantity":"1"},{"reason":"no_rule","meter":"input_text_uncached_tokens","quantity":"33"},{"reason":"no_rule","meter":"output_text_tokens","quantity":"4"}]')]"
equal "cyd: nothing spent, in a month of Berlin" "$(periods cyd)" \
	"[$(period 2026-11 2026-10-31T23:00:00Z 2026-11-30T23:00:00Z false null '{"USD":"0"}' '[]')]"
check "a tenant without a contract: all is held, no currency" grep -qF '"charged":{},"held":[{"reason":"unknown_tenant"' <<<"$(periods ghost)"
cluster=$(sql 'SELECT DISTINCT cluster FROM metering.kafka_partition')
equal "the watermark says up to which offset of each partition" "$(watermark ann)" \
	"{\"rating_run\":1,\"batches\":2,\"last_batch\":$(sql 'SELECT max(batch_id) FROM metering.summed_batch'),\"last_event_time\":\"2026-11-03T12:00:00Z\",\"partitions\":[{\"cluster\":\"$cluster\",\"topic\":\"usage\",\"partition\":0,\"next_offset\":2},{\"cluster\":\"$cluster\",\"topic\":\"usage\",\"partition\":1,\"next_offset\":2}]}"

# Sent.
check "it is published" exits 0 send
equal "a message for each tenant, under its name" "$(topic read spend | grep -o '"key":"[^"]*"' | sort | tr '\n' ' ')" '"key":"ann" "key":"bob" "key":"cyd" "key":"ghost" '
equal "what a dry run prints is what is sent" "$(newest)" "$(dry | without_time)"
check "it is published again" exits 0 send
equal "two of each, and the same bytes but for the time" "$(sent | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" '2 2 2 2 '

# New usage moves the figure and the watermark together, and only with a rating run.
before=$(dry | without_time)
{ usage a3 ann 2026-11-04T12:00:00Z small 1000000 0 0; } >"$room/usage_0"
{ usage a1 ann 2026-10-05T12:00:00Z small 1500000 0 1; } >"$room/usage_1"
check "a new record, then one that is known" produce usage --partition 0 <"$room/usage_0"
check "and a known one alone" produce usage --partition 1 <"$room/usage_1"
check "they are booked" finds consume --batch-records 1
check "figures stay as long as it is not rated" test "$(periods ann)" = "$(grep -F '"tenant":"ann"' <<<"$before" | sed 's/.*"periods":\(.*\),"watermark".*/\1/')"
offsets() { watermark ann | grep -o '"next_offset":[0-9]*' | tr '\n' ' '; }
equal "so does the offset of what is not rated; a repeat has nothing to rate" "$(offsets)" '"next_offset":2 "next_offset":3 '
check "one batch is said to be missing" grep -q '^batches not in it: 1,' <<<"$(spend --dry-run 2>&1 >/dev/null)"
check "it is rated" exits 7 rate
check "ann spent 2 more" grep -qF '"charged":{"USD":"2.000002"}' <<<"$(periods ann)"
equal "and the offsets say so" "$(offsets)" '"next_offset":3 "next_offset":3 '
check "it is published" exits 0 send
equal "the newest message has it: that is what compaction keeps" "$(newest)" "$(dry | without_time)"

# A tenant that waits.
{ usage a4 ann 2026-11-04T12:00:00Z small 1000000 0 0; usage b3 bob 2026-11-04T12:00:00Z small 1000000 0 0; } >"$room/usage.ndjson"
check "more of ann and bob" ingest "$room/usage.ndjson"
check "only ann is rated" finds rate --tenant ann
messages=$(topic read spend | wc -l)
refused "bob waits, and that is said" 7 'not published: 1 of them' spend -b "$broker" -t spend
equal "the others are published" "$(($(topic read spend | wc -l) - messages))" 3
check "bob is rated" finds rate
check "everybody is published" exits 0 send
check "a new price from the first on" publish_book 2026-11-01T00:00:00Z 4
refused "until it is rated, no figure at old prices goes out" 7 'not published: 2 of them' spend -b "$broker" -t spend
check "it is rated" finds rate
check "ann's November costs twice as much" grep -qF '"charged":{"USD":"8.000004"}' <<<"$(periods ann)"

# An invoice, and months that nobody asks for any more.
check "October is invoiced" tollbook invoice draft --quiet --as-of "$as_of" --period 2026-10
check "and final" tollbook invoice finalize --quiet --as-of "$as_of" --period 2026-10
# shellcheck disable=SC2086
equal "ann's message is of November alone" "$(periods ann | grep -o '"period":"[^"]*"' | tr '\n' ' ')" '"period":"2026-11" '
check "unless October is asked for" grep -qF "$(period $october true 1 '{"USD":"3.00001"}' '[]')" <<<"$(periods ann --period 2026-10)"
check "then November is there, too" grep -qF '"period":"2026-11"' <<<"$(periods ann --period 2026-10)"
later=$(as_of=2026-12-05T00:00:00Z periods cyd)
check "in December cyd has spent nothing of December" grep -qF '"period":"2026-12","starts":"2026-11-30T23:00:00Z"' <<<"$later"
check "no message is a tombstone" test "$(topic read spend | grep -c '"value":null')" = 0

# Refused before anything is sent.
messages=$(topic read spend | wc -l)
refused "without a topic" 2 'needs a topic' spend -b "$broker"
refused "a topic that is not there" 4 'there is no topic' spend -b "$broker" -t missing
check "is not made" test -z "$(topic list | grep missing)"
refused "a topic that is not compacted" 4 'is not compacted' spend -b "$broker" -t events
refused "brokers on other machines without TLS" 2 'without TLS' spend -b kafka.example:9092 -t spend
refused "a producer that is not idempotent" 2 'enable.idempotence' spend -b "$broker" -t spend -X enable.idempotence=false
hold_lock() { psql -X -q -d "$TOLLBOOK_DB" -c "SELECT pg_advisory_lock(hashtextextended('tollbook.spend.spend', 0)), pg_sleep(3)" >"$room/lock" 2>&1 & }
hold_lock
sleep 0.5
refused "while another one publishes" 8 'another process publishes' spend -b "$broker" -t spend
wait $!
equal "nothing of these was sent" "$(topic read spend | wc -l)" "$messages"

# Books that do not agree.  crime SENTENCE WHAT-IS-SAID STATEMENT
number=0
crime() {
	number=$((number + 1))
	copy_database spend "crime_$number"
	check "the guards are off" sql "ALTER TABLE finance.charge DISABLE TRIGGER ALL; ALTER TABLE finance.hold DISABLE TRIGGER ALL; ALTER TABLE finance.rating_in_force DISABLE TRIGGER ALL; $3"
	refused "$1: nothing is published" 4 "$2" spend -b "$broker" -t spend
	use_database spend
	drop_database "crime_$number"
}
of_bob="rating_id = (SELECT rating_id FROM finance.current_rating WHERE tenant = 'bob') AND quantity = 1500000"
crime "an amount is changed" 'each charge in force is quantity x price' "UPDATE finance.charge SET amount = amount + 1 WHERE $of_bob"
crime "a quantity is changed, and its amount with it" 'charged + held' "UPDATE finance.charge SET quantity = quantity * 2, amount = amount * 2 WHERE $of_bob"
crime "a price is changed, and its amount with it" 'digests of their ratings' "UPDATE finance.charge SET price = price * 2, amount = amount * 2 WHERE $of_bob"
crime "a hold is deleted" 'charged + held' "DELETE FROM finance.hold WHERE reason = 'no_rule'"
crime "a rating is not in force any more" 'every interval lies in a period' "DELETE FROM finance.rating_in_force WHERE tenant = 'bob'"
equal "nothing of these was sent" "$(topic read spend | wc -l)" "$messages"

# Brokers that are away.
kafka kill
refused "without brokers" 5 'brokers do not answer' spend -b "$broker" -t spend
kafka up >/dev/null
equal "nothing was sent" "$(topic read spend | wc -l)" "$messages"
check "when they are back it is published" exits 0 send
equal "whole" "$(newest)" "$(dry | without_time)"
report
