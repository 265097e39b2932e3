#!/usr/bin/env bash
# Two writers of the dedupe register, one of which is stopped in the middle of a batch while the other one books.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
shim=$top/build/tests/support/kill_at.so
make -s -C "$top" build/tests/support/kill_at.so >&2 || exit 1
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
october=2026-10-20T10:00:00Z

partial() { envelope "$1" acme $october "\"status\":\"aborted\",\"measurement\":{\"method\":\"gateway\",\"complete\":false,\"unknown\":[]},$(quantities small "$2" 1)"; }
call() { usage "$1" acme $october small "$2" 0 1; }
# calls FROM TO: usage with the keys kFROM to kTO.
calls() {
	awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i <= to; i++)
		printf "{\"idempotency_key\":\"k%d\",\"tenant\":\"acme\",\"time\":\"2026-10-20T10:00:00Z\",\"model\":\"small\",\"input_tokens\":1,\"cached_input_tokens\":0,\"output_tokens\":1}\n", i }'
}
# stop_at STATEMENT:HOW FILE [OPTION...]: a writer of the file is stopped where it first runs the statement.
stop_at() {
	local at=$1 file=$2 try
	shift 2
	(exec env LD_PRELOAD="$shim" STOP_STATEMENT="ledger/$at" tollbook ingest --quiet --format csv --as-of "$as_of" "$@" "$room/$file") >"$room/stopped" 2>&1 &
	stopped=$!
	for ((try = 0; try < 400; try++)); do
		[[ $(sed "s/.*) //" "/proc/$stopped/stat" 2>/dev/null) == T* ]] && return
		sleep 0.02
	done
	not_ok "the writer of $file stops at $at"
	cat "$room/stopped"
}
# goes_on: it is continued, and what it says became of its records: records accepted duplicates ignored quarantined rejected.
goes_on() {
	kill -CONT "$stopped"
	wait "$stopped"
	tr -d '\r' <"$room/stopped" | sed 1d | cut -d, -f2- | tr ',' ' '
}
# What is booked: events, and their input together.
booked() { sql "SELECT (SELECT count(*) FROM metering.usage_key) || ' ' || COALESCE(sum(input_text_uncached_tokens), 0) FROM metering.usage_event"; }
# Where each waits for the register, all of its batch is written but the identities.
last=register_lock:before
new_database races
check "the books are set up" tollbook init --quiet

# --- what the other one booked meanwhile -------------------------------------------------------------
{ call one 1; call one 2; } >"$room/mine"
call one 2 >"$room/other"
stop_at $last mine
equal "while a call of 1, and again as one of 2, is being booked, another one books it as 2" "$(counts "$room/other")" '1 1 0 0 0 0'
goes_on >"$room/fate"
equal "then 1 is a conflict and 2, which was one, a duplicate" "$(cat "$room/fate")" '2 0 1 0 1 0'
equal "and 2 is what is booked" "$(booked)" '1 2'

event p1 acme $october small 30 1 >"$room/final"
partial p1 10 >"$room/partial"
stop_at $last final
equal "while a final count of 30 is being booked, another one books the provisional one of 10" "$(counts "$room/partial")" '1 1 0 0 0 0'
goes_on >"$room/fate"
equal "then the final one corrects it" "$(cat "$room/fate") $(booked)" '1 1 0 0 0 0 3 32'
event p2 acme $october small 30 1 >"$room/final"
partial p2 10 >"$room/partial"
stop_at $last partial
equal "while a provisional count of 10 is being booked, another one books the final one of 30" "$(counts "$room/final")" '1 1 0 0 0 0'
goes_on >"$room/fate"
equal "then the provisional one is a duplicate" "$(cat "$room/fate") $(booked)" '1 0 1 0 0 0 4 62'

{ event o1 acme $october small 5 1; correction c1 o1 acme $october small 9 1; } >"$room/mine"
event o1 acme $october small 6 1 >"$room/other"
stop_at $last mine
equal "while an event of 5 and its correction to 9 are being booked, another one books the event as 6" "$(counts "$room/other")" '1 1 0 0 0 0'
goes_on >"$room/fate"
equal "then 5 is a conflict, and 6 is what is corrected to 9" "$(cat "$room/fate") $(booked)" '2 1 0 0 1 0 6 71'

# Each waits for what the other one has claimed.
{ event o2 acme $october small 1 1; event o3 acme $october small 1 1; } >"$room/originals"
{ correction c2 o2 acme $october small 2 1; correction c3 o3 acme $october small 2 1; } >"$room/mine"
tac "$room/mine" >"$room/other"
check "two events of 1 are booked" ingest "$room/originals"
stop_at correction_claim:after mine
counts "$room/other" >"$room/other_fate" &
other=$!
for ((try = 0; try < 400; try++)); do [ "$(sql "SELECT count(*) FROM pg_locks WHERE NOT granted")" -gt 0 ] && break; sleep 0.02; done
goes_on >"$room/fate"
wait $other
equal "two that make the same two corrections, each in its order, end with two of them booked and two duplicates" \
	"$(sort "$room/fate" "$room/other_fate" | tr '\n' ' ')$(booked)" '2 0 2 0 0 0 2 2 0 0 0 0 10 75'

# --- runs that are merged while they are asked --------------------------------------------------------
# Batches of 3; sixteen runs become one.
from=0
for at in register_list:after key_page_fetch:before register_merge_lock:after; do
	calls $((from + 1)) $((from + 45)) >"$room/known"
	check "45 keys are booked in 15 batches" ingest --batch-records 3 "$room/known"
	calls $((from + 1)) $((from + 46)) >"$room/mine"
	calls $((from + 46)) $((from + 100)) >"$room/other"
	stop_at $at mine
	equal "while 46 are being asked for, stopped at $at, another one books the last of them and 54 more" "$(counts --batch-records 3 "$room/other")" '55 55 0 0 0 0'
	goes_on >"$room/fate"
	equal "then all 46 are duplicates" "$(cat "$room/fate")" '46 0 46 0 0 0'
	from=$((from + 100))
done
equal "each of the 300 is booked once" "$(booked)" '310 375'

# --- a large batch beside many small ones -------------------------------------------------------------
calls 1001 9000 >"$room/many"
head -n 800 "$room/many" >"$room/few"
counts --batch-records 1 "$room/few" >"$room/small_fate" &
small=$!
for ((try = 0; try < 400; try++)); do [ "$(sql "SELECT count(*) FROM metering.usage_key")" -gt 312 ] && break; sleep 0.02; done
counts "$room/many" >"$room/fate" 2>&1
wait $small
equal "a batch of 8,000, of which another one books 800, one after the other, is booked, though it is overtaken" \
	"$(awk '{ r += $1; a += $2; d += $3 } END { print r, a, d }' "$room/fate" "$room/small_fate")" '8800 8000 800'
check "before the other one is through" test "$(cut -d' ' -f3 "$room/small_fate")" -gt 0
equal "each is booked once" "$(booked)" '8310 8375'

# --- what sessions are given ---------------------------------------------------------------------------
equal "who has the register's lock and stands still is given up after a minute" \
	"$(psql -X -q -A -t -d "$TOLLBOOK_DB" -c BEGIN -f sql/ledger/register_lock.sql -c 'SHOW idle_in_transaction_session_timeout' | tail -n 1)" 1min
sql "ALTER DATABASE races SET default_transaction_isolation = 'serializable'; ALTER DATABASE races SET statement_timeout = '200ms'"
calls 9001 9100 >"$room/mine"
calls 9051 9200 >"$room/other"
stop_at register_append:before mine
counts "$room/other" >"$room/other_fate" 2>&1 &
other=$!
sleep 0.5
goes_on >"$room/fate"
wait $other
sql "ALTER DATABASE races RESET ALL"
equal "where sessions begin as serializable ones with 200 ms for a statement, a writer that waits for half a second books what the other one did not" \
	"$(cat "$room/fate" "$room/other_fate" | tr '\n' ' ')" '100 100 0 0 0 0 150 100 50 0 0 0 '
equal "each of 8,500 is booked once" "$(booked)" '8510 8575'
check "the books reconcile" tollbook reconcile --quiet
report
