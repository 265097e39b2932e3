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
# shellcheck disable=SC2046
processes_end() { kill -9 $(jobs -p) 2>/dev/null; true; }
at_end+=(processes_end)
make -s build/tests/support/cut_proxy || exit 1
echo "seed $seed (TOLLBOOK_CHAOS_SEED=$seed repeats it)"

# --- words -------------------------------------------------------------------------------------
random() { echo $(($1 + RANDOM % ($2 - $1 + 1))); } # random LEAST MOST
pause() { sleep "$(($1 / 1000)).$(printf '%03d' $(($1 % 1000)))"; } # pause MILLISECONDS
now() { echo "${EPOCHREALTIME/./}"; } # microseconds
note() { printf '# %3d s: %s\n' "$SECONDS" "$*"; }

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

all_produced() {
	local code=0
	wait "$producer" || code=$?
	equal "all of it was produced" "$code" 0
}

# consume NAME TOPIC OPTION...: in the background, its process in $consumer; $room/NAME.out and .err are what it says.
consume() {
	local name=$1
	printf '%s %s\n' "$name" "$(now)" >>"$room/starts"
	tollbook consume --by "$name" -b "$broker" -t "$2" --batch-seconds "$batch_seconds" -X session.timeout.ms=1000 -X heartbeat.interval.ms=300 \
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
# killed NAME PID: true where it was alive until now.
killed() {
	local code=0
	kill -9 "$2" 2>/dev/null
	wait "$2" 2>/dev/null || code=$?
	[ $code != 137 ] || return 0
	ended[code]=$((${ended[code]:-0} + 1))
	[ $code = 0 ] || note "$1 had ended with $code: $(grep -A 3 '^tollbook: ' "$room/$1.err" | tr '\n' ' ')"
	return 1
}
ended=() batch_seconds=1
said() { cat "$room"/*.err 2>/dev/null | grep -c -- "$1"; }
# What sanitizers say, wherever they said it.
no_sanitizer_complaint() { ! grep -hE -A 20 'Sanitizer|runtime error:' "$room"/*.err; }
percentiles() {
	sort -n | awk '{ value[NR] = $1; name = $2 } END { if (NR == 0) { print "none"; exit }
		printf "%d times, p50 %.2f s, p99 %.2f s, max %.2f s (%s)\n", NR, value[int((NR + 1) / 2)], value[int(NR * 0.99 + 0.999999)], value[NR], name }'
}
# recoveries 0|1: from the start of each consumer of this database to its first booked batch; 1: those that met an outage of
# server or broker on the way, 0: the others.
recoveries() {
	sql "SELECT p.opened_by || ' ' || (extract(epoch FROM min(b.appended_at)) * 1000000)::bigint
		FROM metering.source_position p JOIN metering.ingest_batch b USING (position_id) GROUP BY p.position_id, p.opened_by" |
		awk -v met="$1" 'FILENAME != "-" && $1 ~ /^[a-z]/ { start[$1] = $2; next } FILENAME != "-" { from[++outages] = $1; to[outages] = $2; next }
			{ disturbed = 0; for (i = 1; i <= outages; i++) disturbed = disturbed || (start[$1] < to[i] && $2 > from[i]) }
			disturbed == met { print ($2 - start[$1]) / 1000000, $1 }' "$room/starts" "$room/outages" -
}

# --- 1. kill -9 of everything ------------------------------------------------------------------
# Without its postmaster a backend ends what it is doing; every second time all of them are killed, as when a machine dies.
kill_server() {
	local postmaster all from
	from=$(now)
	postmaster=$(head -n 1 "$TOLLBOOK_HOME/data/postmaster.pid")
	all=$postmaster
	[ $((RANDOM % 2)) = 0 ] || all+=" $(cat "/proc/$postmaster/task/$postmaster/children")"
	# shellcheck disable=SC2086
	kill -9 $all 2>/dev/null
	pause "$(random 0 1000)"
	tollbook local start --quiet >/dev/null || not_ok "the killed server starts again"
	printf '%s %s\n' "$from" "$(now)" >>"$room/outages"
}
restart_broker() {
	local from
	from=$(now)
	if [ $(($1 % 2)) = 0 ]; then kafka kill && kafka up >/dev/null; else kafka restart >/dev/null; fi || not_ok "the broker starts again"
	printf '%s %s\n' "$from" "$(now)" >>"$room/outages"
}
# is_due ROUND TIMES: TIMES spread over the rounds.
is_due() { [ $(($1 * $2 / rounds)) -gt $((($1 - 1) * $2 / rounds)) ]; }

name_next() { names=$((names + 1)); name=$1$names; }
options() { printf '%s\n' --patience 60 --batch-records "$(random 20 100)"; }
start_follower() { # SLOT
	name_next follow
	# shellcheck disable=SC2046
	consume "$name" chaos --follow $(options)
	slots[$1]="$name $consumer"
}
# Two times of three the one to be killed has begun to book; the third time it may be on its way to that.
await_booking() { # NAME
	local wait
	[ $((RANDOM % 3)) -gt 0 ] || { pause "$(random 0 1200)"; return; }
	for ((wait = 0; wait < 100; wait++)); do
		[ "$(booked_by "$1" 2>/dev/null)" != t ] || break
		sleep 0.05
	done
	pause "$(random 0 500)"
}
booked_by() { sql "SELECT EXISTS (SELECT FROM metering.source_position JOIN metering.ingest_batch USING (position_id) WHERE opened_by = '$1')"; }
# Kills a consumer, after the server where that is due; then it sees the server come back, or does not live to see it.
end_one() { # ROUND NAME PID
	local before
	await_booking "$2"
	if is_due "$1" "$server_kills"; then
		before=$(progress chaos)
		kill_server
		[ $((RANDOM % 4)) = 0 ] || comes_further "$before"
	fi
	! killed "$2" "$3" || kills=$((kills + 1))
}
comes_further() {
	local wait
	for ((wait = 0; wait < 60; wait++)); do
		[ "$(progress chaos)" = "$1" ] || return
		sleep 0.05
	done
}

follow_round() {
	local slot=$((RANDOM % followers))
	[ ${#slots[@]} -gt 0 ] || for ((i = 0; i < followers; i++)); do start_follower "$i"; done
	# shellcheck disable=SC2086
	end_one "$1" ${slots[slot]}
	start_follower $slot
}
bounded_round() {
	end_followers
	name_next bounded
	# shellcheck disable=SC2046
	consume "$name" chaos --until-end $(options)
	end_one "$1" "$name" "$consumer"
}
end_followers() {
	local slot
	# shellcheck disable=SC2086
	for slot in "${!slots[@]}"; do ! killed ${slots[slot]} || kills=$((kills + 1)); done
	slots=()
}
chaos() {
	local round helper
	for ((round = 1; round <= rounds; round++)); do
		helper=
		! is_due $((round + rounds / (2 * broker_restarts))) "$broker_restarts" || { restart_broker $round & helper=$!; }
		if [ $(((round - 1) / block % 2)) = 0 ]; then follow_round $round; else bounded_round $round; fi
		[ -z "$helper" ] || wait "$helper"
	done
	end_followers
}

killed_again_and_again() {
	new_database chaos
	check "the books are set up" tollbook init --quiet
	# Where commits take longer, more moments are within one, and more is left to be read.
	sql "ALTER DATABASE chaos SET commit_delay = 60000; ALTER DATABASE chaos SET commit_siblings = 0"
	new_topic chaos $partitions
	input chaos "$events"
	: >"$room/starts"
	: >"$room/outages"
	names=0 kills=0 slots=() followers=$(random 2 3) block=$((rounds < 12 ? rounds / 2 : 5))
	produce_in_background chaos $((events / rounds / 64 * 8 + 8)) 30
	chaos
	all_produced
	check "after the kills a bounded run comes to the end" to_the_end last chaos --patience 60
	proved chaos "killed"
	note "kills: $kills of consumers, $server_kills of the server, $broker_restarts broker restarts; ended by themselves: ${ended[*]-none} with exit codes ${!ended[*]}"
	equal "killed: who ended by itself had read all (0), or its server was away (5)" "$(tr ' ' '\n' <<<"${!ended[*]}" | grep -vcE '^[05]?$')" 0
	note "from start to first booked batch: $(recoveries 0 | percentiles)"
	note "the same where server or broker were away meanwhile: $(recoveries 1 | percentiles)"
	note "batches whose connection was lost: $(said 'being committed is booked') were booked, $(said 'the batch is booked again') were not and were booked again"
}

# --- 2. a consumer that stands still -----------------------------------------------------------
rows_by() { sql "SELECT COALESCE(sum(b.ledger_rows), 0) FROM metering.source_position p JOIN metering.ingest_batch b USING (position_id) WHERE p.opened_by = '$1'"; }
copy_waits() { sql "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%COPY metering.usage_event %'"; }
fetched_none_booked() { sql "SELECT count(*) = $partitions FROM metering.kafka_partition WHERE topic = '$1' AND owner_epoch > 0 AND closed_at IS NULL"; }
# comes SECONDS WANTED COMMAND...
comes() {
	local seconds=$1 wanted=$2 wait
	shift 2
	for ((wait = 0; wait < seconds * 20; wait++)); do
		[ "$("$@")" != "$wanted" ] || return 0
		sleep 0.05
	done
	return 1
}
# Holds up every COPY into the ledger until somebody opens $room/release.
hold_ledger() {
	rm -f "$room/release"
	mkfifo "$room/release"
	{ echo 'BEGIN; LOCK TABLE metering.usage_event IN SHARE MODE;'; cat "$room/release"; } | psql -X -q -d "$TOLLBOOK_DB" &
	holder=$!
	comes 5 t sql "SELECT count(*) > 0 FROM pg_locks WHERE relation = 'metering.usage_event'::regclass AND mode = 'ShareLock' AND granted"
}
release_ledger() { : >"$room/release"; wait "$holder"; }

# taken_over NAME WHAT: $zombie stands still; another takes its partitions, books everything, and then the zombie wakes up.
taken_over() {
	local stopped before heir
	stopped=$(now) before=$(rows_by "$1-zombie")
	consume "$1-heir" "$1" --follow --group "$1" --batch-records 200
	heir=$consumer
	comes 20 t sql "SELECT EXISTS (SELECT FROM metering.source_position JOIN metering.ingest_batch USING (position_id) WHERE opened_by = '$1-heir')" ||
		not_ok "$2: another consumer goes on within 20 s"
	note "$2: taken over within $(awk -v from="$stopped" -v to="$(now)" 'BEGIN { printf "%.1f", (to - from) / 1000000 }') s (session timeout 1 s)"
	check "$2: the heir books all" comes 20 "$(ends "$1")" positions "$1"
	kill -CONT "$zombie"
	comes 2 '' process_of "$zombie" || kill -TERM "$zombie"
	done_within 10 "$zombie"
	if [ "$code" = 8 ]; then
		check "$2: woken up, it ends with 8 and says that another has taken over" grep -q 'another consumer has taken over' "$room/$1-zombie.err"
	else
		equal "$2: woken up, it is a member again" "$code" 0
	fi
	equal "$2: woken up, it books nothing of what it had" "$(rows_by "$1-zombie")" "$before"
	kill -TERM "$heir"
	done_within 10 "$heir"
	equal "$2: the heir ends well" "$code" 0
	note "$2: the zombie ended with $(tail -n 5 "$room/$1-zombie.err" | tr '\n' ' ')"
}
process_of() { ! kill -0 "$1" 2>/dev/null || echo "$1"; }

zombies() {
	new_database within
	check "the books are set up" tollbook init --quiet
	new_topic within $partitions
	input within 2000
	check "produced" produce within --plain --spread <"$room/within"
	for day in $days; do sql "SELECT metering.ensure_month(date_trunc('month', date '$day')::date)" >/dev/null; done
	hold_ledger
	consume within-zombie within --follow --group within --batch-records 200
	zombie=$consumer
	check "a consumer is in the middle of a batch" comes 10 t copy_waits
	kill -STOP "$zombie"
	release_ledger
	taken_over within "stopped within a transaction"
	proved within "stopped within a transaction"

	new_database between
	check "the books are set up" tollbook init --quiet
	new_topic between $partitions
	input between 2000
	batch_seconds=4
	consume between-zombie between --follow --group between
	zombie=$consumer
	check "a consumer has the partitions" comes 10 t fetched_none_booked between
	check "produced" produce between --plain --spread <"$room/between"
	pause 1000
	kill -STOP "$zombie"
	batch_seconds=1
	equal "it has booked nothing" "$(progress between)" 0
	taken_over between "stopped between batches"
	proved between "stopped between batches"
}

# --- 2b. members that come and go ---------------------------------------------------------------
join_group() { # SLOT
	name_next member
	consume "$name" group --follow --group group --batch-records 100
	slots[$1]="$name $consumer"
}
# left_well NAME PID: who was told to leave has ended, in good order.
left_well() {
	done_within 15 "$2"
	ended[code]=$((${ended[code]:-0} + 1))
	[ "$code" = 0 ] || note "$1 ended with $code: $(tail -n 4 "$room/$1.err" | tr '\n' ' ')"
}
come_and_go() {
	local second slot before after
	for slot in 0 1 2; do join_group $slot; done
	before=$(progress group)
	for ((second = 1; second <= group_seconds; second++)); do
		sleep 1
		slot=$((second % 3))
		kill -TERM "${slots[slot]#* }" 2>/dev/null
		left+=("${slots[slot]}") leaves=$((leaves + 1))
		join_group $slot
		[ $((second % 3)) = 0 ] || continue
		after=$(progress group)
		windows=$((windows + 1))
		if [ "$after" != "$before" ]; then in_a_row=0; else still=$((still + 1)) in_a_row=$((in_a_row + 1)); fi
		[ $in_a_row -le $longest ] || longest=$in_a_row
		before=$after
	done
	sleep 1
	for slot in 0 1 2; do
		kill -TERM "${slots[slot]#* }" 2>/dev/null
		left+=("${slots[slot]}")
	done
}
members() {
	left=() windows=0 still=0 in_a_row=0 longest=0 leaves=0 slots=() ended=()
	new_database group
	check "the books are set up" tollbook init --quiet
	new_topic group $partitions
	input group $((group_seconds * 500))
	produce_in_background group 80 150
	come_and_go
	# shellcheck disable=SC2086
	for member in "${left[@]}"; do left_well $member; done
	booked=$(progress group)
	all_produced
	check "a bounded run comes to the end" to_the_end group-last group
	proved group "coming and going"
	equal "coming and going: members end well" "${!ended[*]}" 0
	check "coming and going: there is progress in nearly every window of 3 s" [ $((still * 5)) -le "$windows" -a $longest -le 2 ]
	note "coming and going: $leaves left and $((leaves + 3)) joined in $group_seconds s, $booked records booked meanwhile, no progress in $still of $windows windows of 3 s, $longest in a row at most"
	note "from start to first booked batch: $(recoveries 0 | percentiles)"
}

# --- 3. a disk that is full --------------------------------------------------------------------
# A server of its own on a small file system in memory.
disk_full() {
	local home=$TOLLBOOK_HOME main=$server free
	export TOLLBOOK_HOME=$room/small/home
	server=$(tollbook local start) || { not_ok "a server on a small disk starts"; return; }
	new_database full
	check "the books are set up" tollbook init --quiet
	new_topic full $partitions
	input full 20000
	check "produced" produce full --plain --spread <"$room/full"
	psql -X -q -d "$server" -c CHECKPOINT
	free=$(df --output=avail -k "$room/small" | tail -n 1)
	head -c $(((free - 2000) * 1024)) /dev/zero >"$room/small/ballast"
	consume full-1 full --until-end --batch-records 500 --patience 2
	done_within 60 "$consumer"
	equal "a consumer whose server has no room left ends with 5" "$code" 5
	note "disk full: $(progress full 2>/dev/null || echo 'the server is down; unknown how many') records booked until then; it said: $(head -n 2 "$room/full-1.err" | tr '\n' ' ')"
	mount -o remount,size=600m "$room/small" && rm "$room/small/ballast"
	check "with more room the server is there" tollbook local start
	check "and a bounded run comes to the end" to_the_end full-2 full
	proved full "disk full"
	export TOLLBOOK_HOME=$home
	server=$main
}
full_end() {
	! mountpoint -q "$room/small" || { TOLLBOOK_HOME=$room/small/home tollbook local stop --quiet; umount "$room/small"; }
}
at_end+=(full_end)
small_disk() {
	mkdir "$room/small"
	if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=150m,mode=711 tmpfs "$room/small" 2>/dev/null; then
		disk_full
	else
		skip "a disk that is full: needs root and mount"
	fi
}

# --- 4. a network that is cut at COMMIT --------------------------------------------------------
cut_count() { grep -c "cut $1" "$room/cuts"; }
said_at_cuts() { grep -c "$1" "$room/cut-1.err"; }
cut_network() {
	local direct proxy again found notes
	new_database cut
	check "the books are set up" tollbook init --quiet
	new_topic cut $partitions
	input cut $((cuts * 5 * 50 + 400))
	check "produced" produce cut --plain --spread <"$room/cut"
	: >"$room/cuts"
	build/tests/support/cut_proxy "$TOLLBOOK_HOME/run/.s.PGSQL.5432" 5 before,after,silent 1 >"$room/cuts" &
	proxy=$!
	comes 5 1 grep -c . "$room/cuts"
	direct=$TOLLBOOK_DB
	export TOLLBOOK_DB="host=127.0.0.1 port=$(head -n 1 "$room/cuts") user=tollbook dbname=cut sslmode=disable gssencmode=disable"
	check "a consumer whose connections are cut at COMMIT comes to the end" to_the_end cut-1 cut --batch-records 50
	kill "$proxy" && wait "$proxy" 2>/dev/null
	export TOLLBOOK_DB=$direct
	proved cut "cut at COMMIT"
	# What was cut may also be the COMMIT of a note between batches, after which nothing has to be found out.
	again=$(said_at_cuts 'the batch is booked again') found=$(said_at_cuts 'being committed is booked') notes=$(said_at_cuts 'the database is back$')
	equal "each cut was met" "$((again + found + notes))" "$(grep -c ^cut "$room/cuts")"
	check "no batch is booked again whose COMMIT the server had" [ "$again" -le "$(($(cut_count before) + $(cut_count '[a-z]* of a merge')))" ]
	check "no batch is found booked whose COMMIT the server did not have" [ "$found" -le "$(($(cut_count 'after$') + $(cut_count 'silent$')))" ]
	check "each way of cutting was met" [ "$(cut_count before)" -gt 0 -a "$(cut_count after)" -gt 0 -a "$(cut_count silent)" -gt 0 ]
	note "cut at COMMIT: $(cut_count before) before it, $(cut_count after) after it, $(cut_count silent) by silence; $found batches were found booked, $again were booked again, $notes notes"
}

# --- all of it ---------------------------------------------------------------------------------
# The small disk and the network that is cut have little to do with the rest: they run beside it.
aside() {
	trap processes_end EXIT
	trap 'exit 1' TERM
	cut_network
	small_disk
}
killed_again_and_again
aside >"$room/aside" 2>&1 &
aside=$!
at_end+=(aside_end)
aside_end() { kill "$aside" 2>/dev/null; wait "$aside"; true; }
zombies
members
wait "$aside"
cat "$room/aside"
passed=$((passed + $(grep -c '^ok - ' "$room/aside"))) failed=$((failed + $(grep -c '^not ok - ' "$room/aside")))
skipped=$((skipped + $(grep -c '^SKIPPED: ' "$room/aside")))
check "the sanitizers found nothing" no_sanitizer_complaint
report
