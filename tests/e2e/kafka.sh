#!/usr/bin/env bash
# A Kafka topic into the ledger, each record exactly once, with a broker of its own: what is read and what is not, transactions,
# groups, topics that are not what they were, settings, and a broker that comes and goes.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
. tests/support/kafka.sh
. tests/support/toy_format.sh

# --- words -------------------------------------------------------------------------------------
october=2026-10-05T10:00:00Z late=2025-09-30T12:00:00Z
# events PREFIX COUNT: usage in the short form, of four tenants.
events() {
	awk -v prefix="$1" -v count="$2" -v time="$october" 'BEGIN {
		for (i = 1; i <= count; i++)
			printf "{\"idempotency_key\":\"%s-%d\",\"tenant\":\"t%d\",\"time\":\"%s\",\"model\":\"small\",\"input_tokens\":10,\"output_tokens\":5}\n", prefix, i, i % 4, time
	}'
}
# send TOPIC PREFIX COUNT [OPTION]...
send() { events "$2" "$3" | produce "$1" --plain --key-field tenant "${@:4}"; }

# consume TOPIC [OPTION]...: quick for tests; no output but errors and rows.
consume() {
	tollbook consume --quiet --as-of "$as_of" -b "$broker" -t "$1" --batch-seconds 1 -X fetch.wait.max.ms=50 "${@:2}"
}
# read_topic TOPIC [OPTION]...: PARTITION:FROM-TO=records/accepted/duplicates/ignored/quarantined/rejected/held, or nothing.
read_topic() {
	consume "$@" --format csv | tr -d '\r' | sed -n 's|^\([0-9]*\),\([0-9]*\),\([0-9]*\),\([0-9]*\),|\1:\2-\3=\4/|; 2,$s|,|/|gp' | paste -sd ' '
}
booked() { sql "SELECT count(*) FROM metering.usage_event WHERE id LIKE '${1-}%'"; }
positions() { sql "SELECT string_agg(partition || ':' || next_offset, ' ' ORDER BY partition) FROM metering.kafka_partition WHERE topic = '$1' AND closed_at IS NULL"; }
epochs() { sql "SELECT string_agg(partition || ':' || owner_epoch, ' ' ORDER BY partition) FROM metering.kafka_partition WHERE topic = '$1' AND closed_at IS NULL AND partition IN ($2)"; }
incidents() { sql "SELECT string_agg(kind || ' ' || partition || ' ' || expected || ' ' || found, ', ' ORDER BY incident_id) FROM metering.kafka_incident JOIN metering.kafka_partition USING (partition_id) WHERE topic = '$1'"; }
# owned_by TOPIC PID...: which partitions each has, e.g. "0,2 1".
owned_by() {
	local pid topic=$1 text=
	shift
	for pid; do text+=" $(sql "SELECT string_agg(partition::text, ',' ORDER BY partition) FROM metering.kafka_partition WHERE topic = '$topic' AND closed_at IS NULL AND owner LIKE '%, process $pid'")"; done
	echo "${text# }"
}

last_offset() { topic offsets "$1" | cut -d' ' -f3; }
last_stable() { topic -X isolation.level=read_committed offsets "$1" | cut -d' ' -f3; }

# comes WANTED COMMAND...: waits until it prints this, ten seconds at most.
comes() {
	local wanted=$1 until=$((SECONDS + 10)) got
	shift
	while [ "$SECONDS" -le "$until" ]; do
		got=$("$@")
		[ "$got" != "$wanted" ] || return 0
		sleep 0.05
	done
	printf 'got:    %s\nwanted: %s\n' "$got" "$wanted"
	return 1
}

# books_grow COUNT: waits until more are booked than so many.
books_grow() {
	local wait
	for ((wait = 0; wait < 500; wait++)); do
		[ "$(booked)" -le "$1" ] || return 0
		sleep 0.02
	done
	return 1
}

followers=()
# follow NAME TOPIC [OPTION]...: a member of a group in the background, its process $follower; $room/NAME.err is what it says.
follow() {
	local name=$1 topic=$2
	shift 2
	tollbook consume --quiet --as-of "$as_of" -b "$broker" -t "$topic" --follow --group "group-$topic" --batch-seconds "${batch_seconds:-1}" \
		-X fetch.wait.max.ms=50 -X session.timeout.ms=3000 -X heartbeat.interval.ms=100 "$@" >"$room/$name.out" 2>"$room/$name.err" &
	follower=$!
	followers+=("$follower")
}
# ends SENTENCE CODE NAME PID [TEXT]: true where the follower ends, by itself, with this code and says this.
ends() {
	local code=0 wait
	for ((wait = 0; wait < 400; wait++)); do
		kill -0 "$4" 2>/dev/null || break
		sleep 0.05
	done
	[ "$wait" -lt 400 ] || kill -9 "$4"
	{ wait "$4" || code=$?; } 2>/dev/null
	if [ "$code" = "$2" ] && grep -qF -- "${5-}" "$room/$3.err" "$room/$3.out"; then ok "$1"; return; fi
	not_ok "$1"
	printf '    exit code %s, wanted %s with "%s"\n' "$code" "$2" "${5-}"
	sed 's/^/    /' "$room/$3.err"
}
# stops SENTENCE CODE NAME PID: the same, told by SIGTERM.
stops() { kill "$4"; ends "$@"; }
followers_end() { [ ${#followers[@]} = 0 ] || kill -9 "${followers[@]}" 2>/dev/null; return 0; }
at_end+=(followers_end)

reconciles() { check "the books reconcile ($1)" tollbook reconcile --quiet; }
new_database empty
check "the books are set up" tollbook init --quiet
books() { copy_database empty "$1"; }

# --- once --------------------------------------------------------------------------------------
books once
new_topic once 3
send once a 300 --spread
refused "a topic that there is not is refused" 4 'Unknown topic' consume nothing
check "a bounded read ends" exits 0 consume once
equal "every record is booked, once" "$(booked a-) $(positions once)" '300 0:100 1:100 2:100'
equal "a second one reads nothing" "$(read_topic once)" '0:100-100=0/0/0/0/0/0/0 1:100-100=0/0/0/0/0/0/0 2:100-100=0/0/0/0/0/0/0'
send once b 4 --partition 1
equal "one record more is read where it is" "$(consume once --format json | tr -d ' \n')" \
	"$(for p in '0,"from":100,"to":100' '1,"from":100,"to":104' '2,"from":100,"to":100'; do
		n=0; [ "${p%%,*}" != 1 ] || n=4
		printf ',{"partition":%s,"records":%s,"accepted":%s,"duplicates":0,"ignored":0,"quarantined":0,"rejected":0,"held_back":0}' "$p" $n $n
	done | sed -e 's/^,/[/' -e 's/$/]/')"
refused "reading again needs a reason" 2 '--reason' consume once --again
refused "one that says something" 2 '--reason' consume once --again --reason ''
refused "and an end" 2 'exclude each other' consume once --again --reason x --follow
equal "read again, all is recognised" "$(read_topic once --again --reason 'the auditor asks')" \
	'0:0-100=100/0/100/0/0/0/0 1:0-104=104/0/104/0/0/0/0 2:0-100=100/0/100/0/0/0/0'
equal "nothing is booked twice" "$(booked)" 304
equal "the audit log says who and why" "$(sql "SELECT who, action, reason FROM finance.audit_log WHERE subject LIKE 'topic once of %'")" \
	'tester|consume again|the auditor asks'
equal "and the readings before are kept" "$(sql 'SELECT count(*), count(closed_at), count(DISTINCT closed_because) FROM metering.kafka_partition')" '6|3|1'
check "the group, which knows where the topic stands, is forgotten" topic forget tollbook
equal "then nothing is read either" "$(read_topic once)" '0:100-100=0/0/0/0/0/0/0 1:104-104=0/0/0/0/0/0/0 2:100-100=0/0/0/0/0/0/0'
check "the group is there again" topic forget tollbook
equal "under another group neither" "$(read_topic once --group other | tr ' ' '\n' | grep -c '=0/')" 3
new_topic copied 1
{ events a 300; events b 4; } | produce copied --plain
equal "the same events in another topic are recognised" "$(read_topic copied)" '0:0-304=304/0/304/0/0/0/0'
equal "and not booked twice" "$(booked)" 304
reconciles once

# --- payloads ----------------------------------------------------------------------------------
books payloads
new_topic payloads 1
# attributes ID TIME: headers of the binary mode, as JSON.
attributes() {
	printf '["ce_specversion","1.0"],["ce_type","tollbook.usage.v1"],["ce_source","/gateway"],["ce_id","%s"],["ce_time","%s"],["ce_subject","ann"]' "$1" "$2"
}
data="{$(quantities small 7 3)}"
{
	printf '{"key":"ann","headers":[["content-type","application/cloudevents+json; charset=UTF-8"]],"value":%s}\n' "$(event structured ann "$october" small 7 3)" # 0
	printf '{"key":"ann","headers":[%s],"value":%s}\n' "$(attributes binary "$october")" "$data"                                                              # 1
	printf '{"value":%s}\n' "$(usage short ann "$october" small 7 0 3)"                                                                                        # 2
	printf '{"value":%s}\n' "$(event plain ann "$october" small 7 3)"                                                                                          # 3
	printf '{"key":"ann","value":null}\n'                                                                                                                      # 4: a tombstone
	printf '{"key":"k\\n\\u001b","headers":[%s,["x",null]],"value":%s}\n' "$(attributes old "$late")" "$data"                                                  # 5: late
	printf '{"headers":[["trace","1"]],"value_text":"broken \\u0000 bytes"}\n'                                                                                 # 6: no JSON
	printf '{"headers":[%s,["ce_id","twice"]],"value":%s}\n' "$(attributes once "$october")" "$data"                                                           # 7
	printf '{"value":%s}\n' "$(usage short ann "$october" small 8 0 3)"                                                                                        # 8: a conflict
	printf '{"value":%s}\n' "$(usage short ann "$october" small 7 0 3)"                                                                                        # 9: a duplicate
} >"$room/messages"
produce payloads --messages <"$room/messages"
check "a read that sets something aside says so" exits 7 consume payloads
counted() { sql 'SELECT sum(records), sum(accepted), sum(duplicates), sum(ignored), sum(quarantined), sum(rejected) FROM metering.batch_range'; }
equal "structured, binary, short and plain ones are booked, the tombstone is ignored, the rest set aside" "$(counted)" '10|4|1|1|2|2'
equal "they are the same usage" "$(sql 'SELECT string_agg(id, chr(32) ORDER BY id), count(DISTINCT (input_text_uncached_tokens, output_text_tokens)) FROM metering.usage_event')" \
	'binary plain short structured|1'
equal "the list names topic, partition and offset" "$(tollbook quarantine list --format csv | tr -d '\r' | sed 1d | cut -d, -f3,4,5 | tr '\n' ' ')" \
	'E_TIME_LATE,payloads[0],5 E_JSON,payloads[0],6 E_HEADER_REPEATED,payloads[0],7 E_KEY_CONFLICT,payloads[0],8 '
kept() { sql "SELECT encode(message_key, 'escape'), array_length(message_headers, 1), encode(message_headers[$2], 'escape'), encode(raw, 'escape') FROM metering.quarantine WHERE record = $1"; }
equal "key, headers and bytes are kept as they came" "$(kept 5 7)" "$(printf 'k\n\033|14|ce_id|%s' "$data")"
equal "also those that are no text" "$(kept 6 1)" '|2|trace|broken \000 bytes'
number() { sql "SELECT quarantine_id FROM metering.quarantine WHERE record = $1 ORDER BY 1 LIMIT 1"; }
late_one=$(number 5) conflict=$(number 8)
shows() { tollbook quarantine show "$late_one" | grep -qF -- "$1"; }
for text in 'E_TIME_LATE' 'offset    5' 'key       k\x0a\x1b' 'ce_id: old' 'x: (null)' "$data"; do check "shown is \"$text\"" shows "$text"; done
equal "the same messages again are set aside once" \
	"$(read_topic payloads --again --reason test; sql 'SELECT count(*) FROM metering.quarantine')" $'0:0-10=10/0/5/1/2/2/0\n4'
check "the late one is released" tollbook quarantine release --as-of "$as_of" --by ines --reason 'looked at it' "$late_one"
equal "as the event that it is" "$(sql "SELECT input_text_uncached_tokens, name FROM metering.usage_event JOIN metering.event_source USING (event_source_id) WHERE id = 'old'")" '7|/gateway'
check "the conflict is discarded" tollbook quarantine discard --as-of "$as_of" --by ines --reason 'a test' "$conflict"
equal "and is booked once, however often its message is read" \
	"$(read_topic payloads --again --reason test; sql "SELECT (SELECT count(*) FROM metering.quarantine), count(*) FROM metering.usage_event")" $'0:0-10=10/0/5/1/2/2/0\n4|5'
reconciles payloads

# --- usage formats -----------------------------------------------------------------------------
books formats
new_topic answers 1
toy_format >"$room/toy.json"
answers() { consume answers --format "$room/toy.json" --batch-records 1 "$@"; }
{
	printf '{"key":"gw","value":{"events":[%s,%s,%s]}}\n' "$(answer a ann "$october" 10 4 5)" "$(answer b ann "$late" 20 0 5)" "$(answer c ann "$october" 30 0 5)" # 0
	printf '{"value":%s}\n' "$(answer d ann "$october" 40 0 5)"                                                                                              # 1
	printf '{"headers":[%s],"value":%s}\n' "$(attributes binary "$october" | sed 's/tollbook.usage.v1/gateway.answer/')" "$(answer x bob "$october" 50 0 5)"   # 2
	printf '{"headers":[%s],"value":%s}\n' "$(attributes ours "$october")" "$data"                                                                           # 3
	printf '{"value":{"events":[%s,%s]}}\n' "$(answer e ann "$october" 60 0 5)" "$(answer f ann "$october" 70 0 5)"                                           # 4
} | produce answers --messages
check "messages of a format are read" exits 7 answers
ranges() { sql "SELECT string_agg(concat_ws(' ', first_offset, next_offset, records, accepted), ', ' ORDER BY first_offset) FROM metering.batch_range"; }
equal "a batch never ends within a message, whose events are all counted" "$(ranges)" '0 1 3 2, 1 2 1 1, 2 3 1 1, 3 4 1 1, 4 5 2 2'
equal "each is booked under its id: the message's where it is a CloudEvent" \
	"$(sql "SELECT string_agg(concat_ws(' ', id, tenant, input_text_uncached_tokens), ', ' ORDER BY id) FROM metering.usage_event JOIN metering.usage_series USING (series_id)")" \
	'a ann 6, binary ann 50, c ann 30, d ann 40, e ann 60, f ann 70, ours ann 7'
printf '{"value":%s}\n' "$(answer g ann "$october" 80 0 5)" | produce answers --messages
equal "the next reading knows the last message again and goes on behind it" "$(answers --format csv | tr -d '\r' | sed 1d)" '0,5,6,1,1,0,0,0,0,0'
mv "$room/toy.json" "$room/away.json"
check "the late one of three is released, though the description is gone" tollbook quarantine release --as-of "$as_of" --by ines --reason 'looked at it' 1
mv "$room/away.json" "$room/toy.json"
equal "it alone" "$(sql "SELECT id, input_text_uncached_tokens FROM metering.usage_event ORDER BY batch_id DESC LIMIT 1")" 'b|20'
equal "read again, all is recognised" "$(answers --format csv --late-days 1000 --again --reason test | tr -d '\r' | sed 1d)" '0,0,6,9,0,9,0,0,0,0'
reconciles formats

# Messages of five events and of two passes, and a consumer that dies between them.  kill_at.c counts what it does to the ledger.
shim=$top/build/tests/support/kill_at.so
make -s -C "$top" build/tests/support/kill_at.so >&2 || exit 1
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
new_topic killed 2
for ((i = 0; i < 40; i++)); do
	if ((i % 4 == 3)); then printf '{"value":%s}\n' "$(passes "p$i" ann "$october" $i 7)"; continue; fi
	printf '{"value":{"events":[%s' "$(answer "e$i-0" bob "$october" 10 $((i % 9 == 0 ? 11 : 4)) 5)"
	for j in 1 2 3 4; do printf ',%s' "$(answer "e$i-$j" bob "$october" 10 4 $j)"; done
	printf ']}}\n'
done >"$room/killed.json"
{ produce killed --messages --partition 0 && produce killed --messages --partition 1 <"$room/killed.json"; } <"$room/killed.json"
reading=(tollbook consume --quiet --as-of "$as_of" -b "$broker" -t killed --batch-seconds 1 --format "$room/toy.json" --batch-records 20)
with_shim() { (exec env LD_PRELOAD="$shim" "$1" "${reading[@]}") >"$room/said" 2>&1; }
events_and_faults() { ledger && sql "SELECT count(*), md5(string_agg(code || encode(raw_digest, 'hex'), ';' ORDER BY raw_digest)) FROM metering.quarantine"; }
dies() {
	local code=0
	with_shim "$1" || code=$?
	[ $code = 137 ] || { printf 'exit code %s\n' "$code"; cat "$room/said"; return 1; }
}
# Until the server has noticed that the consumer before it is gone (8).
comes_to_end() {
	local code try
	for ((try = 0; try < 100; try++)); do
		code=0
		"$@" >"$room/said" 2>&1 || code=$?
		[ $code = 8 ] || break
		sleep 0.05
	done
	[ $code = 7 ] || { printf 'exit code %s\n' "$code"; cat "$room/said"; return 1; }
}
books calm
with_shim "COUNT_TO=$room/calls"
calls=$(cut -d' ' -f1 "$room/calls") wanted=$(events_and_faults)
equal "80 messages, half of which say the same, are 166 events, and 4 that are wrong in each half" "$(booked) $(sql 'SELECT count(*) FROM metering.quarantine')" '166 8'
for fault in $((calls / 4)):during $((calls / 2)):after $((calls * 3 / 4)):before; do
	books "killed_${fault//:/_}"
	check "a consumer dies at call $fault of $calls" dies "KILL_AT=$fault" 2>/dev/null
	check "the next one goes on to the end" comes_to_end "${reading[@]}"
	equal "with the books of one that was not disturbed" "$(events_and_faults)" "$wanted"
	reconciles "killed_${fault//:/_}"
done

# --- transactions ------------------------------------------------------------------------------
books transactions
new_topic transactions 1
send transactions taken 5 --transaction commit
send transactions back 5 --transaction abort
send transactions then 5
equal "what was committed is read, what was taken back is not, markers are no gaps" "$(read_topic transactions)" '0:0-17=10/10/0/0/0/0/0'
send transactions aborted 3 --transaction abort
equal "a transaction that was taken back alone moves nothing" "$(read_topic transactions)" '0:17-17=0/0/0/0/0/0/0'
equal "but it is seen that there is nothing to read" \
	"$(sql "SELECT next_offset, clear_offset, end_offset, stable_offset, stable_since IS NULL FROM metering.kafka_partition WHERE topic = 'transactions'")" '17|21|21|21|t'
send transactions before 2
events open 4 >"$room/open"
open_transaction "$room/open" transactions -X transaction.timeout.ms=2500
send transactions behind 3
equal "an open one holds back what is behind it, and the read says how much" "$(read_topic transactions)" '0:17-23=2/2/0/0/0/0/7'
equal "so does the next one" "$(read_topic transactions)" '0:23-23=0/0/0/0/0/0/7'
equal "the ledger knows since when" "$(sql "SELECT end_offset, stable_offset, stable_since FROM metering.kafka_partition WHERE topic = 'transactions'")" "30|23|2026-11-05 00:00:00+00"
new_topic held 1
open_transaction "$room/open" held
equal "also where there is nothing else in the topic" "$(read_topic held)" '0:0-0=0/0/0/0/0/0/4'
equal "when its producer is gone and its time is over, the rest is read, and no gap is left" \
	"$(comes 31 last_stable transactions; read_topic transactions)" '0:23-30=3/3/0/0/0/0/0'
# A producer that commits when its input ends.
mkfifo "$room/slowly"
produce transactions --plain --transaction commit <"$room/slowly" &
slow=$!
exec {slowly}>"$room/slowly"
events slow 4 >&"$slowly"
check "another one is open" comes 35 last_offset transactions
equal "what is not committed yet is held back" "$(read_topic transactions)" '0:30-30=0/0/0/0/0/0/4'
exec {slowly}>&-
wait "$slow"
equal "what is committed then is read" "$(read_topic transactions)" '0:30-35=4/4/0/0/0/0/0'
equal "all that was committed is booked, and nothing else" "$(sql "SELECT string_agg(p || n, ' ' ORDER BY p) FROM (SELECT split_part(id, '-', 1) AS p, count(*) AS n FROM metering.usage_event GROUP BY 1) e")" \
	'before2 behind3 slow4 taken5 then5'
kill -9 "$transaction"

# Four keys: of what the cleaner has seen, one record each is left.
new_topic compacted 1 cleanup.policy=compact segment.ms=100 min.cleanable.dirty.ratio=0.01 max.compaction.lag.ms=100
left() { topic read compacted | sed 's/.*"offset":\([0-9]*\),.*/\1/' | tr '\n' ' '; }
send compacted c1 8
sleep 0.2
send compacted c2 8
check "a topic is compacted" comes '4 5 6 7 8 9 10 11 12 13 14 15 ' left
equal "its holes are no gaps" "$(read_topic compacted)" '0:0-16=12/12/0/0/0/0/0'
sleep 0.2
send compacted c3 8
check "it is compacted again, with the record that was booked last" comes '12 13 14 15 16 17 18 19 20 21 22 23 ' left
sleep 0.2
send compacted c4 4
check "and again" comes '20 21 22 23 24 25 26 27 ' left
equal "reading goes on where it ended" "$(read_topic compacted)" '0:16-28=8/8/0/0/0/0/0'
reconciles transactions

# --- groups ------------------------------------------------------------------------------------
books groups
new_topic shared 2
# Only this one hears soon that the topic grows.
follow one shared -X topic.metadata.refresh.interval.ms=300 --metrics-file "$room/metrics"
one=$follower
send shared a 20 --spread
check "a follower books what is there" comes 20 booked a-
send shared b 6
check "and what comes" comes 6 booked b-
follow two shared
two=$follower
halves() { owned_by shared "$one" "$two" | tr ' ' '\n' | sort | paste -sd ' '; }
check "a second process gets half of the partitions" comes '0 1' halves
send shared c 20 --spread
check "together they book everything" comes 20 booked c-
topic grow shared 6
check "new partitions are shared too, also with one that had not heard of them" comes '0,1,2 3,4,5' halves
send shared d 7 --partition 5
check "and read from their beginning" comes 7 booked d-
equal "what came was booked once" "$(sql "SELECT sum(records), sum(accepted) FROM metering.batch_range")" '53|53'

# Prometheus: every line is a comment or a sample, each name has its type, and no sample comes twice.
metrics_are_whole() {
	awk '
		/^# HELP [a-z_]+ [^ ]/ { help[$3]++; next }
		/^# TYPE [a-z_]+ (counter|gauge)$/ { type[$3]++; if (!help[$3]) wrong("no help"); next }
		/^[a-z_]+\{[a-z]+="[A-Za-z0-9._-]+"(,[a-z]+="[A-Za-z0-9._-]+")*\} -?[0-9]+$/ {
			name = $1; sub(/\{.*/, "", name)
			if (type[name] != 1 || help[name] != 1) wrong("not described once")
			if (seen[$1]++) wrong("twice")
			samples++; sampled[name] = 1; next
		}
		{ wrong("no line of the format") }
		function wrong(why) { printf "line %d is %s: %s\n", NR, why, $0; bad = 1 }
		END {
			for (name in type) if (!sampled[name]) { printf "%s has no sample\n", name; bad = 1 }
			if (samples < 10) { printf "%d samples\n", samples; bad = 1 }
			exit bad
		}' "$1"
}
check "the metrics are Prometheus text" metrics_are_whole "$room/metrics"
ln "$room/metrics" "$room/metrics.before"
before=$(sha256sum <"$room/metrics.before")
stops "SIGTERM ends one in good order" 0 one "$one"
check "its metrics are written once more" metrics_are_whole "$room/metrics"
equal "under the name only when they are complete" "$([ "$room/metrics" -ef "$room/metrics.before" ] || sha256sum <"$room/metrics.before")" "$before"
taken=$(sed -n 's/^tollbook_consumer_records_total{topic="shared",partition="[0-9]",outcome="accepted"} //p' "$room/metrics" | awk '{ sum += $1 } END { print sum + 0 }')
equal "they count what it booked: more than alone, less than all" "$((taken > 26 && taken < 53))" 1
check "the other one takes over" comes '0,1,2,3,4,5' owned_by shared "$two"
printf 'no usage\n' | produce shared --plain
check "it sets aside what is none" comes 1 sql 'SELECT count(*) FROM metering.quarantine'
stops "and says so at its end" 7 two "$two"
equal "nobody missed anything" "$(booked)" 53

# What was taken is booked, however young it is: ten make a batch, five have time.
new_topic young 1
batch_seconds=3600 follow young young --batch-records 10
send young y 15
check "a full batch is booked" comes 10 booked y-
sleep 0.3
equal "what fills none waits" "$(booked y-)" 10
stops "SIGTERM ends it" 0 young "$follower"
equal "and has the rest booked" "$(booked y-)" 15

# Static members.
new_topic static 2
follow ada static --instance ada -X session.timeout.ms=8000
ada=$follower
follow bob static --instance bob -X session.timeout.ms=8000
bob=$follower
halves() { owned_by static "$ada" "$bob" | tr ' ' '\n' | sort | paste -sd ' '; }
check "two named members share" comes '0 1' halves
hers=$(owned_by static "$ada") his=$(owned_by static "$bob")
epoch=$(epochs static "$his")
stops "one of them ends" 0 ada "$ada"
send static s 6 --partition "$hers"
follow ada static --instance ada -X session.timeout.ms=8000
ada=$follower
check "started again, it has its partition again" comes "$hers" owned_by static "$ada"
check "and books what came meanwhile" comes 6 booked s-
send static s2 6 --partition "$his"
check "the other one reads on" comes 6 booked s2-
equal "which was not disturbed" "$(epochs static "$his")" "$epoch"
follow double static --instance ada -X session.timeout.ms=8000
ends "of two with one name, one ends and says so" 8 ada "$ada" 'same --instance'
check "the other one has the partition" comes "$hers" owned_by static "$follower"
stops "and ends well" 0 double "$follower"
stops "as the rest does" 0 bob "$bob"
# Booking that takes longer than a member may be silent: it goes on polling, and keeps what it has.
new_topic slow 2
follow slow slow -X max.poll.interval.ms=3000
send slow slow 10 --spread
check "a follower reads" comes 10 booked slow
before=$(epochs slow '0, 1')
psql -X -q -d "$TOLLBOOK_DB" -c 'BEGIN; LOCK metering.key_run IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(5); COMMIT' >"$room/lock.out" 2>&1 &
lock=$!
sleep 0.5
send slow slower 10 --spread
sleep 4
equal "for five seconds nothing can be booked" "$(sql "SELECT count(*) FROM pg_locks WHERE NOT granted") $(positions slow)" '1 0:5 1:5'
wait "$lock"
check "then it is" comes 20 booked slow
equal "and the member was one all the time" "$(epochs slow '0, 1')" "$before"
stops "it ends well" 0 slow "$follower"

reconciles groups

# --- two that know nothing of each other --------------------------------------------------------
books rivals
new_topic rivals 1
follow long rivals
send rivals a 10
check "a follower reads" comes 10 booked
equal "a bounded read beside it takes the partition over" "$(read_topic rivals)" '0:10-10=0/0/0/0/0/0/0'
send rivals b 6
ends "the follower ends, and says which partition it lost" 8 long "$follower" 'another consumer has taken over rivals[0]'
equal "its batch is not booked" "$(booked) $(positions rivals)" '10 0:10'
equal "the bounded one reads it" "$(read_topic rivals)" '0:10-16=6/6/0/0/0/0/0'
send rivals c 3000
consume rivals --batch-records 1 >"$room/short.out" 2>"$room/short.err" &
short=$!
followers+=("$short")
check "a bounded read is on its way" books_grow 16
follow long rivals
ends "it ends when a follower takes the partition over" 8 short "$short" 'another consumer has taken over rivals[0]'
check "the follower reads the rest" comes 3016 booked
stops "and ends well" 0 long "$follower"
equal "nothing was lost, nothing came twice" "$(sql 'SELECT sum(records), sum(accepted) FROM metering.batch_range') $(positions rivals)" '3016|3016 0:3016'
reconciles rivals
# What a process remembers holds for its database alone: a series that it found there may not be in a backup.
copy_database rivals backup
use_database rivals
follow long rivals
check "a follower is there" comes 0 owned_by rivals "$follower"
drop_database rivals
copy_database backup rivals
ends "a follower whose database was replaced by a backup ends" 8 long "$follower" 'another one than before'
send rivals d 5
equal "the next run goes on from where the backup stands" "$(read_topic rivals)" '0:3016-3021=5/5/0/0/0/0/0'
reconciles rivals

# --- topics that are not what they were ----------------------------------------------------------
books incidents
# stops_at TOPIC KIND EXPECTED FOUND: the next read ends with an incident, which is written down; one more read says the same.
stops_at() {
	local before after
	before=$(booked)
	refused "$1: a read stops" 4 "$1[0] is not what it was: $2" consume "$1"
	refused "$1: and says what it found where" 4 "Expected offset $3, found $4" consume "$1"
	equal "$1: the incident is written down, once" "$(incidents "$1")" "$2 0 $3 $4"
	equal "$1: nothing is booked" "$(booked)" "$before"
}
new_topic trimmed 1
send trimmed trimmed 10
check "ten are read" exits 0 consume trimmed
topic trim trimmed 0 10
equal "records that were read may go" "$(read_topic trimmed)" '0:10-10=0/0/0/0/0/0/0'
send trimmed trimmed2 10
equal "and reading goes on" "$(read_topic trimmed)" '0:10-20=10/10/0/0/0/0/0'
send trimmed trimmed3 10
topic trim trimmed 0 25
stops_at trimmed records_deleted 20 25
equal "with a reason it is read from where it begins now" "$(read_topic trimmed --again --reason 'they are lost')" '0:25-30=5/5/0/0/0/0/0'
equal "and goes on" "$(read_topic trimmed)" '0:30-30=0/0/0/0/0/0/0'

again() { topic delete "$1" && new_topic "$1" 1; }
new_topic shorter 1
send shorter shorter 10
check "ten are read" exits 0 consume shorter
again shorter
send shorter shorter2 4
stops_at shorter topic_shorter 10 4
equal "with a reason it is read" "$(read_topic shorter --again --reason 'a new topic')" '0:0-4=4/4/0/0/0/0/0'

new_topic replaced 1
send replaced replaced 10
check "ten are read" exits 0 consume replaced
again replaced
send replaced replaced2 15
stops_at replaced topic_replaced 9 9
equal "with a reason it is read" "$(read_topic replaced --again --reason 'a new topic')" '0:0-15=15/15/0/0/0/0/0'
again replaced
send replaced replaced3 15
refused "also where it has as many records as before" 4 'topic_replaced' consume replaced

new_topic gone 1
follow gone gone
send gone gone 10
check "a follower reads" comes 10 booked gone-
kill -STOP "$follower"
sleep 0.2
send gone gone2 5
topic trim gone 0 13
kill -CONT "$follower"
ends "a follower that slept while records were deleted stops" 4 gone "$follower" 'gone[0] is not what it was: offset_out_of_range'
equal "the incident is written down" "$(incidents gone | cut -d' ' -f1-3)" 'offset_out_of_range 0 10'
equal "nothing behind it is booked" "$(booked gone2-)" 0
refused "a follower started now stops too" 4 'gone[0] is not what it was: records_deleted' consume gone --follow
equal "with a reason it is read" "$(read_topic gone --again --reason 'they are lost')" '0:13-15=2/2/0/0/0/0/0'
reconciles incidents

# --- settings ------------------------------------------------------------------------------------
for setting in enable.auto.commit=true auto.offset.reset=earliest isolation.level=read_uncommitted enable.partition.eof=false \
	check.crcs=false allow.auto.create.topics=true partition.assignment.strategy=cooperative-sticky; do
	refused "$setting is refused" 2 "${setting%=*} must be" consume once -X "$setting"
done
check "what is fixed may be said" exits 0 consume gone -X enable.auto.commit=false
refused "an unknown property is refused" 2 'no.such.property' consume once -X no.such.property=1
refused "so is a value that is none" 2 'session.timeout.ms' consume once -X session.timeout.ms=soon
refused "and what is no property" 2 'KEY=VALUE' consume once -X session.timeout.ms
for secret in sasl.password ssl.key.password ssl.key.pem; do
	refused "$secret may not stand on the command line" 2 "$secret may not stand on the command line" consume once -X "$secret=secret"
done
plain() { tollbook consume --quiet --as-of "$as_of" "$@"; }
refused "brokers must be named" 2 'no brokers' plain -t once
refused "and a topic" 2 '--topic' plain -b "$broker"
refused "a topic has no such name" 4 'no such/topic' plain -b "$broker" -t 'no such/topic'
refused "nothing leaves the machine without TLS" 2 '--insecure' plain -b "127.0.0.1:1,192.0.2.1:9092" -t once
waits() {
	tollbook consume --quiet -t once --patience 1 "${@:2}" >"$room/$1.out" 2>"$room/$1.err" &
	followers+=($!)
}
waits far -b 192.0.2.1:9092 --insecure
waits down -b 127.0.0.1:1

printf '# a comment\n\n  bootstrap.servers = %s \r\nclient.id=a=b\n' "$broker" >"$room/properties"
check "a file has the properties" exits 0 plain -t gone --kafka-config "$room/properties"
printf 'no.such.property=1\n' >>"$room/properties"
refused "a bad one is named by its line" 2 'properties, line 5' plain -t gone --kafka-config "$room/properties"
printf '\nbootstrap.servers\n' >"$room/properties"
refused "so is a line that is no property" 2 'properties, line 2' plain -t gone --kafka-config "$room/properties"
printf 'bootstrap.servers=127.0.0.1:1\nsasl.password=secret\n' >"$room/properties"
chmod 600 "$room/properties"
check "the command line is stronger, and a password may stand there" exits 0 plain -t gone --kafka-config "$room/properties" -b "$broker"
chmod 644 "$room/properties"
refused "unless everybody can read it" 2 'sasl.password' plain -t gone --kafka-config "$room/properties" -b "$broker"
printf 'isolation.level=read_uncommitted\n' >"$room/properties"
refused "what is fixed is fixed there too" 2 'properties, line 1' plain -t gone --kafka-config "$room/properties" -b "$broker"
started=$SECONDS
ends "to another machine it may go where somebody said so; the patience counts" 5 far "${followers[-2]}" 'do not answer'
ends "brokers that are down are waited for" 5 down "${followers[-1]}" 'do not answer'
equal "not longer than said, or an answer takes" "$((SECONDS - started < 6))" 1
refused "a file that is not there is named" 3 "$room/none" plain -t gone --kafka-config "$room/none"

# --- a broker that comes and goes ----------------------------------------------------------------
books broker
new_topic broken 2
events a 800 | topic -X batch.size=10000 produce broken --plain --spread
# Small fetches, so that the rest is not in memory already.
consume broken --batch-records 20 -X reconnect.backoff.max.ms=200 -X queued.min.messages=100 -X fetch.message.max.bytes=10000 >"$room/broken.out" 2>"$room/broken.err" &
reader=$!
followers+=("$reader")
check "a read is on its way" books_grow 0
kafka kill
equal "the broker is gone in its middle" "$(($(booked) < 800))" 1
kafka up >/dev/null
ends "the read goes on by itself" 0 broken "$reader"
equal "and has everything, once" "$(sql 'SELECT count(DISTINCT batch_id) > 20, sum(records), sum(accepted) FROM metering.batch_range') $(positions broken)" \
	't|800|800 0:400 1:400'
check "the topic that is read again ends at once" exits 0 consume broken
reconciles broker
report
