#!/usr/bin/env bash
# Exactly once, whatever dies: consumers, the database, the broker and the network are ended again and again at random moments,
# and then the ledger is what other code makes of the same input.
#   TOLLBOOK_CHAOS_SEED      chooses data and moments; printed, so that a run can be repeated (as far as machines repeat)
#   TOLLBOOK_CHAOS_EVENTS    records produced while consumers are killed; 20000
#   TOLLBOOK_CHAOS_ROUNDS    kills of consumers, half of them of bounded ones; 6
#   TOLLBOOK_CHAOS_SERVERS   kill -9 of the database meanwhile; 2
#   TOLLBOOK_CHAOS_BROKERS   restarts of the broker meanwhile, every second one by kill -9; 1
#   TOLLBOOK_CHAOS_SECONDS   how long members join and leave a group; 15
#   TOLLBOOK_CHAOS_CUTS      connections cut at COMMIT; 12
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/kafka.sh
seed=${TOLLBOOK_CHAOS_SEED:-$((SRANDOM % 1000000))}
events=${TOLLBOOK_CHAOS_EVENTS:-20000} rounds=${TOLLBOOK_CHAOS_ROUNDS:-6} server_kills=${TOLLBOOK_CHAOS_SERVERS:-2}
broker_restarts=${TOLLBOOK_CHAOS_BROKERS:-1} group_seconds=${TOLLBOOK_CHAOS_SECONDS:-15} cuts=${TOLLBOOK_CHAOS_CUTS:-12}
RANDOM=$((seed % 32768))
partitions=8
processes_end() { local left; left=$(jobs -p); [ -z "$left" ] || kill -9 $left 2>/dev/null; true; }
at_end+=(processes_end)
make -s build/tests/support/cut_proxy || exit 1
echo "seed $seed (TOLLBOOK_CHAOS_SEED=$seed repeats it)"

# --- words -------------------------------------------------------------------------------------
random() { echo $(($1 + RANDOM % ($2 - $1 + 1))); } # random LEAST MOST
pause() { sleep "$(($1 / 1000)).$(printf '%03d' $(($1 % 1000)))"; } # pause MILLISECONDS
now() { echo "${EPOCHREALTIME/./}"; } # microseconds
note() { printf '# %s\n' "$*"; }

# Days around the newest end of a month that is wholly in the past, since nothing may come from the future.
month=$(date -u +%Y-%m-01)
[ "$(date -u +%d)" -ge 3 ] || month=$(date -u -d "$month -1 month" +%Y-%m-01)
days=$(for day in -2 -1 0 1; do date -u -d "$month $day day" +%Y-%m-%d; done | tr '\n' ' ')

# input NAME COUNT: $room/NAME is what is to be produced, $room/NAME.wanted what the ledger must be then.
input() {
	awk -v COUNT="$2" -v SEED=$((seed + $2)) -v PARTITIONS=$partitions -v DAYS="$days" -v PREFIX="$1-" -f tests/support/chaos_input.awk >"$room/$1"
	awk -f tests/support/chaos_ledger.awk "$room/$1" | LC_ALL=C sort >"$room/$1.wanted"
}
ledger() {
	sql "SELECT concat_ws('|', e.kind, s.tenant, p.name, e.id, to_char(e.event_time AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'), s.model,
		e.requests, e.input_text_uncached_tokens, e.output_text_tokens)
		FROM metering.usage_event e JOIN metering.usage_series s USING (series_id) JOIN metering.event_source p USING (event_source_id)" |
		LC_ALL=C sort >"$1"
}
digest() { sha256sum <"$1" | cut -c 1-64; }
positions() { sql "SELECT partition || ' ' || next_offset FROM metering.kafka_partition WHERE topic = '$1' AND closed_at IS NULL ORDER BY partition"; }
ends() { topic offsets "$1" | awk '{ print $1, $3 }'; }
progress() { sql "SELECT COALESCE(sum(next_offset), 0) FROM metering.kafka_partition WHERE topic = '$1'"; }

# proved NAME WHAT: the ledger is the one wanted, everything of the topic is booked, and the books reconcile.
proved() {
	local lost double
	ledger "$room/$1.ledger"
	lost=$(LC_ALL=C comm -23 "$room/$1.wanted" "$room/$1.ledger" | wc -l)
	double=$(LC_ALL=C comm -13 "$room/$1.wanted" "$room/$1.ledger" | wc -l)
	equal "$2: no ledger row is lost" "$lost" 0
	equal "$2: none is double or invented" "$double" 0
	equal "$2: the ledger's digest is that of the input" "$(digest "$room/$1.ledger")" "$(digest "$room/$1.wanted")"
	equal "$2: each partition stands at its end" "$(positions "$1")" "$(ends "$1")"
	equal "$2: nothing was set aside" "$(sql 'SELECT count(*) FROM metering.quarantine')" 0
	check "$2: the books reconcile" tollbook reconcile
	note "$2: $(wc -l <"$room/$1.wanted") ledger rows, $lost lost, $double double, digest $(digest "$room/$1.ledger" | cut -c 1-16)"
}

# Produces $room/NAME in the background, a little at a time; what was not acknowledged is said again, which changes nothing.
produce_slowly() { # NAME RECORDS-AT-A-TIME MILLISECONDS-BETWEEN
	local chunk tries=0
	rm -rf "$room/chunks" && mkdir "$room/chunks"
	split -a 4 -l "$2" "$room/$1" "$room/chunks/"
	for chunk in "$room/chunks/"*; do
		until topic -X enable.idempotence=true produce "$1" --plain --spread <"$chunk" 2>>"$room/producer"; do
			[ $((tries++)) -lt 100 ] || return 1
			sleep 0.1
		done
		pause "$3"
	done
} </dev/null
produce_in_background() {
	produce_slowly "$@" &
	producer=$!
}

# consume NAME TOPIC OPTION...: in the background, its process in $consumer; $room/NAME.out and .err are what it says.
consume() {
	local name=$1
	printf '%s %s\n' "$name" "$(now)" >>"$room/starts"
	tollbook consume --by "$name" -b "$broker" -t "$2" --batch-seconds 1 -X session.timeout.ms=1000 -X heartbeat.interval.ms=300 \
		-X fetch.wait.max.ms=50 -X reconnect.backoff.max.ms=500 "${@:3}" >"$room/$name.out" 2>"$room/$name.err" &
	consumer=$!
}
# done_within SECONDS PID: its exit code in $code; one that goes on for longer is ended.
done_within() {
	local wait
	for ((wait = 0; wait < $1 * 20; wait++)); do
		kill -0 "$2" 2>/dev/null || break
		sleep 0.05
	done
	! kill -9 "$2" 2>/dev/null || note "process $2 did not end within $1 s"
	code=0
	wait "$2" 2>/dev/null || code=$?
}
# to_the_end NAME TOPIC OPTION...: what is left, as a bounded run.
to_the_end() {
	consume "$@" --until-end
	done_within 120 "$consumer"
	[ "$code" = 0 ] || { echo "exit code $code"; cat "$room/$1.err"; return 1; }
}
# killed PID: true where it was alive until now.
killed() {
	local code=0
	kill -9 "$1" 2>/dev/null
	wait "$1" 2>/dev/null || code=$?
	[ $code = 137 ] || { note "a consumer had ended with $code"; ended[code]=$((${ended[code]:-0} + 1)); return 1; }
}
ended=()
said() { cat "$room"/*.err 2>/dev/null | grep -c -- "$1"; }
# What sanitizers say, wherever they said it.
no_sanitizer_complaint() { ! grep -hE -A 20 'Sanitizer|runtime error:' "$room"/*.err; }
percentiles() {
	sort -n | awk '{ value[NR] = $1 } END { if (NR == 0) { print "none"; exit }
		printf "%d times, p50 %.2f s, p99 %.2f s, max %.2f s\n", NR, value[int((NR + 1) / 2)], value[int(NR * 0.99 + 0.999999)], value[NR] }'
}
# From the start of each consumer of this database to its first booked batch.
recoveries() {
	sql "SELECT p.opened_by || ' ' || (extract(epoch FROM min(b.appended_at)) * 1000000)::bigint
		FROM metering.source_position p JOIN metering.ingest_batch b USING (position_id) GROUP BY p.position_id, p.opened_by" |
		awk 'NR == FNR { start[$1] = $2; next } { print ($2 - start[$1]) / 1000000 }' "$room/starts" -
}

# --- 1. kill -9 of everything ------------------------------------------------------------------
kill_server() {
	kill -9 "$(head -n 1 "$TOLLBOOK_HOME/data/postmaster.pid")"
	pause "$(random 0 1500)"
	tollbook local start --quiet >/dev/null || not_ok "the killed server starts again"
}
restart_broker() {
	if [ $(($1 % 2)) = 0 ]; then kafka kill && kafka up >/dev/null; else kafka restart >/dev/null; fi || not_ok "the broker starts again"
}
# is_due ROUND TIMES: TIMES spread over the rounds.
is_due() { [ $(($1 * $2 / rounds)) -gt $((($1 - 1) * $2 / rounds)) ]; }

name_next() { names=$((names + 1)); name=$1$names; }
options() { printf '%s\n' --patience 60 --batch-records "$(random "$most_records" $((most_records * 4)))"; }
start_follower() { # SLOT
	name_next follow
	# shellcheck disable=SC2046
	consume "$name" chaos --follow $(options)
	slots[$1]=$consumer
}
follow_round() {
	local slot=$((RANDOM % followers))
	[ ${#slots[@]} -gt 0 ] || for ((i = 0; i < followers; i++)); do start_follower "$i"; done
	pause "$(random 100 1500)"
	! killed "${slots[slot]}" || kills=$((kills + 1))
	start_follower $slot
}
bounded_round() {
	local slot tries
	for slot in "${!slots[@]}"; do ! killed "${slots[slot]}" || kills=$((kills + 1)); done
	slots=()
	for ((tries = 0; tries < 10; tries++)); do
		name_next bounded
		# shellcheck disable=SC2046
		consume "$name" chaos --until-end $(options)
		pause "$(random 100 1000)"
		! killed "$consumer" || { kills=$((kills + 1)); return; }
	done
}
chaos() {
	local round
	for ((round = 1; round <= rounds; round++)); do
		! is_due $round "$server_kills" || kill_server &
		helper=$!
		! is_due $((rounds + 1 - round)) "$broker_restarts" || restart_broker $round &
		if [ $(((round - 1) / block % 2)) = 0 ]; then follow_round; else bounded_round; fi
		wait $helper $!
	done
	for slot in "${!slots[@]}"; do ! killed "${slots[slot]}" || kills=$((kills + 1)); done
	slots=()
}

new_database chaos
check "the books are set up" tollbook init --quiet
new_topic chaos $partitions
input chaos "$events"
: >"$room/starts"
names=0 kills=0 slots=() followers=$(random 2 3) block=$((rounds < 12 ? rounds / 2 : 5)) most_records=$((events < 50000 ? 100 : 500))
produce_in_background chaos $((events / rounds / 64 * 8 + 8)) 80
chaos
check "all of it was produced" wait "$producer"
check "after the kills a bounded run comes to the end" to_the_end last chaos --patience 60
proved chaos "killed"
note "kills: $kills of consumers, $server_kills of the server, $broker_restarts broker restarts; ended by themselves: ${ended[*]-none} with exit codes ${!ended[*]}"
note "from start to first booked batch: $(recoveries | percentiles)"
note "batches whose connection was lost: $(said 'being committed is booked') were booked, $(said 'the batch is booked again') were not and were booked again"
check "the sanitizers found nothing" no_sanitizer_complaint
report
