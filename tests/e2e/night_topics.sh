#!/usr/bin/env bash
# Topics in a night: what is taken is pinned first and taken up to there, whatever comes behind it; a missed night takes what had come
# before its instant; a night that was interrupted leaves the rows of one that was not.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
. tests/support/kafka.sh
. tests/support/toy_format.sh

# --- words -------------------------------------------------------------------------------------
third=$(date -u -d 2026-11-03T02:00:00Z +%s)000
# send TOPIC PREFIX COUNT [OPTION]...: usage of one tenant, its keys PREFIX-1 and so on.
events() {
	awk -v prefix="$1" -v count="$2" 'BEGIN { for (i = 1; i <= count; i++)
		printf "{\"idempotency_key\":\"%s-%d\",\"tenant\":\"ann\",\"time\":\"2026-10-31T10:00:00Z\",\"model\":\"small\",\"input_tokens\":10,\"output_tokens\":5}\n", prefix, i }'
}
send() { events "$2" "$3" | produce "$1" --plain "${@:4}"; }
# configure TOPIC [LINE]...: one source, gateway, in batches of at most 40 records; and more lines.
configure() {
	printf '%s\n' '[night]' 'patience_seconds = 5' '[source gateway]' 'kind = kafka' "brokers = $broker" "topic = $1" 'batch_records = 40' "${@:2}" >"$room/tollbook.conf"
}
night() { tollbook nightly --quiet --config "$room/tollbook.conf" --as-of "${1}T02:00:30Z" --date "$1" "${@:2}"; }
# units NIGHT: PARTITION=TARGET:RESULT of a night.
units() {
	sql "SELECT string_agg(split_part(unit, ' ', 3) || '=' || split_part(plan, ' ', 1) || ':' || CASE WHEN is_done THEN result ELSE 'open' END, ' ' ORDER BY unit)
		FROM finance.night_unit JOIN finance.night_run USING (night_run) WHERE night = '$1' AND step = 'ingest'"
}
# What the night booked, without numbers that have gaps (of batches, which their digests have in them) and what was seen of the brokers.
rows() {
	sql "SELECT s.name, s.opened_at, s.opened_by, s.next_position, s.next_record, s.finished_at FROM metering.source_position s WHERE kind = 'kafka' ORDER BY 2"
	sql "SELECT b.first_position, b.next_position, b.first_record, b.records, b.accepted, b.duplicates, b.quarantined, b.appended_at FROM metering.ingest_batch b ORDER BY b.appended_at, b.first_record"
	sql "SELECT k.partition, r.first_offset, r.next_offset, r.records, r.accepted FROM metering.batch_range r JOIN metering.kafka_partition k USING (partition_id) ORDER BY 1, 2"
	sql 'SELECT partition, opened_at, start_offset, next_offset, clear_offset, last_offset, records, duplicates, set_aside, seen_at FROM metering.kafka_partition ORDER BY 1'
	sql "SELECT unit, plan, is_done, result FROM finance.night_unit WHERE step = 'ingest' ORDER BY night_run, unit"
	sql "SELECT told, result FROM finance.night_step WHERE step = 'ingest' ORDER BY night_run"
	ledger
}
booked() { sql "SELECT string_agg(id, ' ' ORDER BY id COLLATE \"C\") FROM metering.usage_event WHERE id LIKE '$1'"; }
books() { copy_database empty "$1"; }
reconciles() { check "the books reconcile ($1)" tollbook reconcile --quiet; }

new_database empty
check "the books are set up" tollbook init --quiet
new_topic usage 2 retention.ms=-1
configure usage

# --- up to where -------------------------------------------------------------------------------
books missed
check "the night of the 2nd has nothing to take" finds night 2026-11-02
equal "which is so many records of each partition" "$(units 2026-11-02)" '0=0:{"from":0,"to":0,"records":0} 1=0:{"from":0,"to":0,"records":0}'
check "three records come before the instant of the 3rd" send usage before 3 --partition 0 --timestamp $((third - 1))
check "one at that very millisecond" send usage at 1 --partition 0 --timestamp "$third"
check "and two behind it, in the other partition" send usage behind 2 --partition 1 --timestamp $((third + 1))
check "the night of the 4th, when that of the 3rd was missed" finds night 2026-11-04
equal "the missed one has taken what had come before its instant" "$(units 2026-11-03)" '0=3:{"from":0,"to":3,"records":3} 1=0:{"from":0,"to":0,"records":0}'
equal "the newest one has the rest" "$(units 2026-11-04)" '0=4:{"from":3,"to":4,"records":1} 1=2:{"from":0,"to":2,"records":2}'
equal "and what they booked is dated with their instants" "$(sql "SELECT string_agg(appended_at || '=' || accepted, ' ' ORDER BY appended_at) FROM metering.ingest_batch")" \
	'2026-11-03 02:00:00+00=3 2026-11-04 02:00:00+00=3'
equal "nothing is taken twice" "$(booked '%')" 'at-1 before-1 before-2 before-3 behind-1 behind-2'
# An open transaction holds back two records, and the two behind them.
events open 2 >"$room/open"
open_transaction "$room/open" usage --partition 0
send usage held 2 --partition 0
check "the night of the 5th" finds night 2026-11-05
equal "ends before the transaction" "$(units 2026-11-05)" '0=4:{"from":4,"to":4,"records":0} 1=2:{"from":2,"to":2,"records":0}'
kill -9 "$transaction"
configure usage '[source copy]' 'kind = kafka' "brokers = $broker" 'topic = usage'
refused "two sources that are one topic are refused" 2 'the sources copy and gateway are one topic, usage' night 2026-11-06

# --- spend -------------------------------------------------------------------------------------
new_topic spend 1 cleanup.policy=compact
configure usage '[spend]' "brokers = $broker" 'topic = spend'
check "the night of the 6th publishes spend" finds night 2026-11-06
wanted=$(tollbook spend publish --quiet --dry-run --as-of 2026-11-06T02:00:00Z)
equal "what is sent is what a dry run prints at the instant of the night" "$(topic read spend | sed 's/.*"value":\({.*}\)}$/\1/')" "$wanted"
equal "ann alone has spent" "$(grep -o '"tenant":"[^"]*"' <<<"$wanted")" '"tenant":"ann"'
reconciles missed

# --- a usage format ----------------------------------------------------------------------------
books format
new_topic answers 1
toy_format >"$room/toy.json"
configure answers "format = $room/toy.json"
october=2026-10-31T10:00:00Z
printf '{"value":{"events":[%s,%s]}}\n{"value":%s}\n' "$(answer a ann $october 1 0 1)" "$(answer b ann $october 2 0 1)" "$(answer c ann $october 3 0 1)" | produce answers --messages
check "a night reads a topic of a format" finds night 2026-11-04
equal "two messages are three events" "$(units 2026-11-04) $(booked '_')" '0=2:{"from":0,"to":2,"records":3} a b c'
reconciles format

# --- interrupted -------------------------------------------------------------------------------
# 100 records and 90: batches of 40, 40, 20 + 20, 40, 30.  Both partitions have again-1 to again-10, the second one with other
# quantities: which of the two counts must not depend on which broker is quicker.
new_topic usage2 2
configure usage2
{ events a 90; events again 10; } | produce usage2 --plain --partition 0
{ events again 10 | sed 's/"input_tokens":10/"input_tokens":11/'; events b 80; } | produce usage2 --plain --partition 1
# undisturbed NAME: what a night leaves that is not interrupted, of what is in the topic now.
undisturbed() {
	books "undisturbed_$1"
	check "an undisturbed night ($1)" finds night 2026-11-04
	wanted=$(rows)
}
undisturbed first
equal "takes all of it" "$(units 2026-11-04)" '0=100:{"from":0,"to":100,"records":100} 1=90:{"from":0,"to":90,"records":90}'
equal "in whole batches" "$(sql "SELECT string_agg(records::text, ' ' ORDER BY first_record) FROM metering.ingest_batch")" '40 40 40 40 30'
equal "and of two records that contradict each other the first partition's counts" "$(sql "SELECT sum(input_text_uncached_tokens) FROM metering.usage_event WHERE id LIKE 'again-%'")" 100

# later: more comes, behind the targets.
sent=0
later() {
	sent=$((sent + 1))
	send usage2 "later$sent" 5 --spread
}
# stop_before RECORD: a night that stands still when it is about to book the batch that begins with this record, until go_on.
stop_before() {
	local wait
	sql "CREATE TABLE public.still AS SELECT 1;
		CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN WHILE EXISTS (SELECT FROM public.still) LOOP PERFORM pg_sleep(0.1); END LOOP; RETURN NEW; END';
		CREATE TRIGGER stand_still BEFORE INSERT ON metering.ingest_batch FOR EACH ROW WHEN (NEW.first_record = $1) EXECUTE FUNCTION stand_still()"
	tollbook nightly --quiet --config "$room/tollbook.conf" --as-of 2026-11-04T02:00:30Z --date 2026-11-04 >"$room/night.out" 2>&1 &
	victim=$!
	for ((wait = 0; wait < 200; wait++)); do
		[ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'")" = 0 ] || break
		sleep 0.05
	done
}
go_on() { sql 'DELETE FROM public.still'; }
sessions() { sql "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"; }
kill_night() {
	local wait
	kill -9 "$victim"
	wait "$victim" 2>/dev/null
	go_on
	# Its session ends when it sees that nobody is there.
	for ((wait = 0; wait < 200; wait++)); do
		[ "$(sessions)" != 0 ] || break
		sleep 0.05
	done
}
kill_before() {
	undisturbed "before_$1"
	books "killed_$1"
	stop_before "$1"
	kill_night
	later
	check "killed before record $1, and begun again" finds night 2026-11-04
	equal "it has left the rows of an undisturbed one, whatever came meanwhile" "$(rows)" "$wanted"
}
kill_before 1
kill_before 81
kill_before 161

configure usage2
sed -i 's/^batch_records = .*/batch_records = 10/' "$room/tollbook.conf"
undisturbed told
books told
stop_before 31
kill "$victim"
sleep 0.2
go_on
code=0
wait "$victim" || code=$?
equal "told to stop, it says that it can be gone on with" "$code $(grep -o 'told to stop before everything was read' "$room/night.out")" '5 told to stop before everything was read'
equal "and has left whole batches" "$(sql "SELECT DISTINCT records FROM metering.ingest_batch") $(units 2026-11-04 | grep -o open | paste -sd ' ')" '10 open open'
check "begun again" finds night 2026-11-04
equal "it has left the rows of an undisturbed one" "$(rows)" "$wanted"
configure usage2

undisturbed marks
books marks
sql "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not now''; END';
	CREATE TRIGGER refuse BEFORE UPDATE ON finance.night_unit FOR EACH ROW EXECUTE FUNCTION refuse()"
refused "all is read, and that cannot be noted" 4 'not now' night 2026-11-04
later
sql 'SET client_min_messages = warning; DROP FUNCTION refuse() CASCADE'
check "begun again" finds night 2026-11-04
equal "nothing is read again, no row is new" "$(rows)" "$wanted"
reconciles marks

books shorter
stop_before 1
kill_night
topic delete usage2
for ((i = 0; i < 100; i++)); do new_topic usage2 2 2>/dev/null && break; sleep 0.05; done
refused "a topic that ends before what was pinned was made anew: somebody must look" 4 'topic_shorter' night 2026-11-04
report
