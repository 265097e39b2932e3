#!/usr/bin/env bash
# Nights whose usage comes from a topic: killed at random calls and at the borders of steps, with the broker killed under them before usage is read
# and before spend is sent, and missed, they leave the same ledger, charges, documents and files as nights that nobody disturbed.  Not the same
# batches: how many records come in one is the network's affair.
#   NIGHT_KILLS   how many random calls; 6 where it is not set
#   NIGHT_SEED    which
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
. tests/support/books_digest.sh
. tests/support/nights.sh
. tests/support/kafka.sh
kills=${NIGHT_KILLS:-6}
RANDOM=${NIGHT_SEED:-60}

cat >"$config" <<END
[night]
documents = $work/documents
patience_seconds = 2
[apply]
prices = $work/prices/*.json
tenants = $usage/tenants.json
[limits]
charge_jump = 0
[spend]
brokers = $broker
topic = spend
[source gateway]
kind = kafka
brokers = $broker
topic = usage
batch_records = 60
END
# deliver DAY: its records, a third to each partition, with the time at which the file of the day would have come.
deliver() {
	local partition at
	at=$(($(date -u -d "$1 + 1 day" +%s) * 1000 + 1800000))
	for partition in 0 1 2; do
		awk -v p=$partition 'NR % 3 == p && $0 != ""' "$usage/usage/usage-$1.ndjson" | produce usage --partition $partition --timestamp $at || return 1
	done
}
open_topics() {
	local try
	if [ "$1" = again ]; then topic delete usage && topic delete spend || return 1; fi
	for ((try = 0; try < 50; try++)); do new_topic usage 3 retention.ms=-1 2>"$room/refused" && break; sleep 0.2; done
	for ((try = 0; try < 50; try++)); do new_topic spend 1 cleanup.policy=compact 2>"$room/refused" && return 0; sleep 0.2; done
	cat "$room/refused"
	return 1
}
left() {
	ledger
	books_digest 'finance.(?!night_|rating_run).*'
	sql 'SELECT rating_run, started_at, events, intervals, ratings, charges, holds, output_digest FROM finance.rating_run ORDER BY 1'
	sql "SELECT raw_digest, code FROM metering.quarantine ORDER BY 1"
	files_digest "$work/documents" | grep -v ' nights/'
}
told() { topic read spend | grep -o '"tenant":"[^"]*"' | sort -u; }
on_time_from_topic() { deliver "$(day_before "$1")" && comes_to '0|7' night "$1" --quiet; }

make_usage --tenants 6 --from 2026-10-29 --days 5 --events 150
first=2026-10-30 nights=(2026-10-31 2026-11-01 2026-11-02 2026-11-03) last=2026-11-03
check "a ledger with prices, contracts and credits is there" first_ledger

check "topics are there" open_topics new
open_ledger undisturbed
for date in "$first" "${nights[@]}"; do check "the night of $date takes what is in the topic" on_time_from_topic "$date"; done
check "invoices were made" test "$(sql "SELECT count(*) >= 4 FROM finance.invoice WHERE status = 'final'")" = t
equal "each record of the topic is booked or set aside, once" "$(sql 'SELECT sum(records) FROM metering.ingest_batch')" "$(grep -c . "$usage"/usage/* | awk -F: '{ n += $2 } END { print n }')"
wanted=$(left) wanted_told=$(told)
check "spend of every tenant was sent" test "$(wc -l <<<"$wanted_told")" -ge 6
close_ledger

check "the topics are made again" open_topics again
open_ledger disturbed
check "the first night" on_time_from_topic "$first"
for date in "${nights[@]:0:2}"; do
	deliver "$(day_before "$date")"
	for step in ingest:begin:after ingest:end:before publish:end:before; do check "the night of $date is killed at $step" killed "KILL_STEP=$step" "$date"; done
done
check "the second one, begun again, ends both" comes_to '0|7' night "${nights[1]}" --quiet
equal "each is done once" "$(sql 'SELECT count(*), count(ended_at) FROM finance.night_run')" '3|3'

date=${nights[2]}
deliver "$(day_before "$date")"
for step in ingest publish; do
	here "the night of $date stands before its $step" stopped "STOP_STEP=$step:begin:after" "$date"
	kafka kill
	here "its broker is killed: it ends with 5" goes_on 5
	check "while there is no broker another one ends with 5, too" comes_to 5 night "$date"
	kafka up >/dev/null
done
check "the broker is back, and the night is done" comes_to '0|7' night "$date"

date=$last total=0
deliver "$(day_before "$date")"
hows=(before during after)
for ((i = 0; i < kills; i++)); do
	killed "KILL_AT=$((1 + RANDOM % 400)):${hows[RANDOM % 3]}" "$date" >"$room/refused" || break
	total=$((total + 1)) at_calls="${at_calls-} $(cat "$room/died_at"),"
done
check "the night of $date, killed at $total random calls, is done:${at_calls-}" comes_to '0|7|9' night "$date"
check "some of the moments came before it was done" test "$((2 * total))" -ge "$kills"
same "nights that were killed and whose broker was killed leave the same ledger, charges, documents and files" "$(left)" "$wanted"
equal "spend of the same tenants was sent" "$(told)" "$wanted_told"
check "the books reconcile" tollbook reconcile --quiet --as-of "${last}T03:00:00Z"
close_ledger

check "the topics are made again" open_topics again
open_ledger missed
check "the first night" on_time_from_topic "$first"
for date in "${nights[@]}"; do deliver "$(day_before "$date")"; done
check "three nights are missed, and the last one catches them up" comes_to '0|7' night "$last" --quiet
equal "each took what had come before its instant" "$(sql "SELECT string_agg(caught_up::text, ' ' ORDER BY night) FROM finance.night_run")" 'false true true true false'
same "and left what nights on time leave" "$(left)" "$wanted"
report
