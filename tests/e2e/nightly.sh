#!/usr/bin/env bash
# The nightly job, night after night: what it does and how it ends; killed at each border of its steps and at random calls, with its database
# killed under it, begun twice at once, stopped and overtaken, and nights missed for a week, it leaves the same rows and the same files, byte
# for byte, as nights that nobody disturbed.
#   NIGHT_KILLS   how many random calls; 12 where it is not set
#   NIGHT_SEED    which
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
. tests/support/books_digest.sh
. tests/support/nights.sh
kills=${NIGHT_KILLS:-12}
RANDOM=${NIGHT_SEED:-6}

# Eight tenants in eight zones; periods of anchors 30, 31, 1, 28 and 29 end in these nights.  Batches of 60 records: four a file.
nights=(2026-10-28 2026-10-29 2026-10-30 2026-10-31 2026-11-01 2026-11-02 2026-11-03)
last=2026-11-03
make_usage --tenants 8 --from 2026-10-26 --days 9 --events 200
make_config 'batch_records = 60'
# Two that a clock decides.  One is 34 days and 14 hours old in its night, and late in a week.  The other is three hours in the future in its night, and
# past in a week.
{
	usage restless-1 tenant-01 2026-09-25T12:00:00Z cedar-3 1000 0 10
	usage restless-2 tenant-01 2026-10-30T05:00:00Z cedar-3 1000 0 10
} >>"$usage/usage/usage-2026-10-29.ndjson"
touch -d 2026-10-30T00:30:00Z "$usage/usage/usage-2026-10-29.ndjson"
check "a ledger with prices, contracts and credits is there" first_ledger

new_prices() { [[ $1 < 2026-10-31 ]] || cp -p "$usage"/later/*.json "$work/prices/"; }
on_time_with_prices() { new_prices "$1" && on_time "$1"; }

# --- nights that nobody disturbs ---------------------------------------------------------------------
open_ledger undisturbed
check "a night with no usage, in which nothing waits for anybody, ends with 0" comes_to 0 night 2026-10-27
check "it says what each step did" grep -q 'night 2026-10-27  ingest  *0 records' "$room/said"
check "the same night again ends with 9" comes_to 9 night 2026-10-27
equal "and says once that there was nothing to do" "$(grep -c 'nothing to do: the night is done already' "$room/said")" 1
check "--dry-run says so with the same code" comes_to 9 night 2026-10-27 --dry-run
check "a night before it, too, ends with 9" comes_to 9 nightly --date 2026-10-26 --as-of 2026-10-27T02:00:00Z
refused "a night that has not come is refused" 2 'has not come yet' nightly --date 2026-10-28 --as-of 2026-10-28T01:59:59Z

arrive 2026-10-27
before=$(all_of_it)
check "--dry-run says what would be done" comes_to 0 night 2026-10-28 --dry-run
same "and writes nothing" "$(all_of_it)" "$before"
check "a night after which usage is on hold and records are in quarantine ends with 7" comes_to 7 night 2026-10-28
for date in "${nights[@]:1}"; do check "the night of $date" on_time_with_prices "$date"; done
equal "usage that is in the future in its night is in quarantine" "$(sql "SELECT count(*) FROM metering.quarantine WHERE code = 'E_TIME_FUTURE'")" 1
equal "prices that came on 30 October are those of November" "$(sql "SELECT count(*) FROM finance.price_book_version WHERE book = 'std-eur' AND published_at = '2026-10-31T02:00:00Z'")" 1
equal "the nights are numbered in their order, without a gap, each begun once" \
	"$(sql "SELECT string_agg(night_run || ' ' || night || ' ' || attempts, ', ' ORDER BY night) FROM finance.night_run")" \
	"1 2026-10-27 1, 2 2026-10-28 1, 3 2026-10-29 1, 4 2026-10-30 1, 5 2026-10-31 1, 6 2026-11-01 1, 7 2026-11-02 1, 8 2026-11-03 1"
check "invoices were made, and somebody is parked" test "$(sql "SELECT count(*) >= 8 AND EXISTS (SELECT FROM finance.parked_now) FROM finance.invoice WHERE status = 'final'")" = t
equal "each final invoice has its two files" "$(find "$work/documents/invoices" -type f | wc -l)" "$(sql "SELECT 2 * count(*) FROM finance.invoice WHERE status = 'final'")"
check "the books reconcile" tollbook reconcile --quiet --as-of "${last}T03:00:00Z"
wanted=$(all_of_it) wanted_manifests=$(manifests)
wanted_nights=$(same_nights)
close_ledger

# --- kill -9 -----------------------------------------------------------------------------------------
open_ledger killed
check "a night that is killed before it has a number" killed KILL_STEP=night:begin:before 2026-10-27
check "and behind it" killed KILL_STEP=night:begin:after 2026-10-27
check "goes on" comes_to 0 night 2026-10-27
# All in one night: each time it comes a border further.
arrive 2026-10-27
borders=0
for step in apply ingest rate draft park finalize documents reconcile publish night; do
	# Behind an end is before the next begin.  What is sent may be done before its sender is dead: then the next one does not come here again.
	for border in begin:before begin:after end:before end:during; do
		[ "$step:${border%:*}" != night:begin ] || continue
		killed "KILL_STEP=$step:$border" 2026-10-28 >"$room/refused" || { not_ok "killed at the border $step:$border"; cat "$room/refused"; }
		borders=$((borders + 1))
	done
done
ok "the night of 2026-10-28 was killed at $borders borders of its steps"
check "then it is done, or there was nothing left to do" comes_to '7|9' night 2026-10-28
same "and left what an undisturbed night leaves" "$(manifests)" "$(head -n 2 <<<"$wanted_manifests")"

total=0
for date in "${nights[@]:1}"; do
	arrive "$(day_before "$date")" && new_prices "$date"
	[ "$date" != 2026-10-31 ] || check "it is killed while it publishes prices" killed KILL_STATEMENT=rating/price_book_add:after "$date"
	# So many that all nights have their share; each at one of the calls that a night has, the more of which are done the fewer are left.
	share=$(((kills - total + ${#nights[@]} - 2) / (${#nights[@]} - 1)))
	for ((i = 0; i < share; i++)); do
		hows=(before during after)
		at=$((1 + RANDOM % 500)):${hows[RANDOM % 3]}
		killed "KILL_AT=$at" "$date" >"$room/refused" || break
		total=$((total + 1))
		at_calls="${at_calls-} $(cat "$room/died_at"),"
	done
	check "the night of $date, killed $i times at random calls, is done" comes_to '7|9' night "$date"
done
check "at least half of the moments came before the night was done:${at_calls-}" test "$((2 * total))" -ge "$kills"
same "nights that were killed $((borders + 2)) times at borders and $total times between them leave the same rows and files" "$(all_of_it)" "$wanted"
check "nobody's temporary files are left" test -z "$(find "$work/documents" \( -name '.*' -o -name '*.part' -o -name '*.tmp' \) -type f)"
close_ledger

# --- other accidents ---------------------------------------------------------------------------------
server_killed() { kill -9 "$(head -n 1 "$TOLLBOOK_HOME/data/postmaster.pid")"; }
open_ledger accidents
check "the first night" comes_to 0 night 2026-10-27
arrive 2026-10-27
here "a night that is at work, and is slow" stopped STOP_STEP=rate:begin:after 2026-10-28
check "another that is begun meanwhile ends with 8" comes_to 8 night 2026-10-28
check "and says why" grep -q 'another nightly run is active' "$room/said"
check "a person can ask for the status meanwhile" tollbook status --as-of 2026-10-28T02:00:00Z
here "the first one ends as if it had been alone" goes_on 7

for moment in ingest:begin:after finalize:begin:after documents:begin:after; do
	date=$(next_day "$(sql 'SELECT max(night) FROM finance.night_run')")
	arrive "$(day_before "$date")" && new_prices "$date"
	here "a night stands before its ${moment%%:*}" stopped "STOP_STEP=$moment" "$date"
	server_killed
	here "its server is killed: it ends with 5" goes_on 5
	check "the server comes back" tollbook local start
	check "and the next run goes on from there" comes_to 7 night "$date"
done

arrive 2026-10-31
here "a night stands still before it finalizes" stopped STOP_STEP=finalize:begin:after 2026-11-01
equal "its session is ended by others" "$(sql 'SELECT pg_terminate_backend(backend) FROM finance.night_fence')" t
check "a second one takes the lock and ends the night" comes_to 7 night 2026-11-01
before=$(all_of_it)
here "the first one goes on, and ends with 5" goes_on 5
check "it says that it was cut off" grep -qE 'terminating connection|has lost its lock|server closed the connection' "$room/faulty"
same "and has written nothing more" "$(all_of_it)" "$before"
refused "a session that lost its lock is refused each write" 3 'has lost its lock: it writes nothing more' \
	psql -X -q -v ON_ERROR_STOP=1 -d "$TOLLBOOK_DB" -c "SET tollbook.fence = '1'" -f - <<<"INSERT INTO finance.issuer (issuer, name) VALUES ('LATE', 'Late');"
for date in 2026-11-02 2026-11-03; do check "the night of $date" on_time_with_prices "$date"; done
same "two at once, a server killed three times, and a run that was overtaken leave the same rows and files" "$(all_of_it)" "$wanted"
close_ledger

# --- nights that were missed ---------------------------------------------------------------------------
open_ledger missed
check "the first night" comes_to 0 night 2026-10-27
arrive 2026-10-27 2026-10-28 2026-10-29 2026-10-30 2026-10-31 2026-11-01 2026-11-02 && new_prices "$last"
check "six nights are missed, the seventh catches them up" comes_to 7 night "$last"
equal "in order" "$(sql "SELECT string_agg(night || CASE WHEN caught_up THEN ' missed' ELSE '' END, ', ' ORDER BY night_run) FROM finance.night_run")" \
	"2026-10-27, 2026-10-28 missed, 2026-10-29 missed, 2026-10-30 missed, 2026-10-31 missed, 2026-11-01 missed, 2026-11-02 missed, 2026-11-03"
same "with the rows and documents of nights on time, usage and prices that came in between included" "$(same_nights)" "$wanted_nights"
report
