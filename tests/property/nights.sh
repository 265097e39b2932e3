#!/usr/bin/env bash
# Six weeks of fifty tenants in twelve zones and four currencies, ten thousand records a day: the nights are killed at each border of their steps and
# at calls drawn by chance, and leave the same rows and files as nights that nobody disturbed.  For `make check-deep`.
#   NIGHT_KILLS     how many calls; 2 where it is not set, for a change to see that this still works
#   NIGHT_TENANTS   how many tenants; 8 where it is not set
#   NIGHT_EVENTS    records a day; 100 where it is not set
#   NIGHT_DAYS      how many days; 6 where it is not set
#   NIGHT_FROM      the first; 2026-10-29 where it is not set
#   PROPERTY_SEED   which; the seed of a run that failed repeats it
# The whole of it: NIGHT_KILLS=200 NIGHT_TENANTS=50 NIGHT_EVENTS=10000 NIGHT_DAYS=42 NIGHT_FROM=2026-09-25.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
. tests/support/books_digest.sh
. tests/support/nights.sh
kills=${NIGHT_KILLS:-2} tenants=${NIGHT_TENANTS:-8} events=${NIGHT_EVENTS:-100} count=${NIGHT_DAYS:-6} from=${NIGHT_FROM:-2026-10-29}
seed=${PROPERTY_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
RANDOM=$((seed % 32768))
drawn() { drawn=$(((RANDOM * 32768 + RANDOM) % $1)); }
steps=(apply ingest rate draft park finalize documents reconcile publish night)
edges=(begin:before begin:during begin:after end:before end:during end:after)
hows=(before during after)

new_prices() { [[ $1 < 2026-10-31 ]] || cp -p "$usage"/later/*.json "$work/prices/"; }
undisturbed_night() {
	new_prices "$1" && arrive "$(day_before "$1")" || return 1
	calls=$(calls_of "$1") && calls_of_night[$1]=$calls
}
# A night is killed at one border, the next night at the next one; and at its share of calls.  Each is drawn from the first part of those that are
# left to do, so that the others find some, too; some twenty are made again each time.
disturbed_night() {
	local date=$1 edge i at left=${calls_of_night[$1]} again=20
	new_prices "$date" && arrive "$(day_before "$date")" || return 1
	edge=${steps[turn / 6 % 10]}:${edges[turn % 6]}
	turn=$((turn + 7))
	killed "KILL_STEP=$edge" "$date" >"$room/refused" && borders=$((borders + 1))
	[[ $edge == apply:* ]] || left=$((left / 3))
	for ((i = 0; i < share; i++)); do
		drawn $((again + 2 * left / (share - i + 1)))
		at=$((drawn + 1))
		killed "KILL_AT=$at:${hows[RANDOM % 3]}" "$date" >"$room/refused" || { grep -q 'exit code [079]$' "$room/refused" && break; cat "$room/refused"; return 1; }
		left=$((at > again ? left - at + again : left)) left=$((left > 0 ? left : 0))
		total=$((total + 1))
	done
	comes_to '0|7|9' night "$date" --quiet
}

declare -A calls_of_night
echo "seed $seed: $tenants tenants, $count days from $from, $events records a day, $kills kills"
make_usage --seed "$seed" --tenants "$tenants" --from "$from" --days "$count" --events "$events"
make_config "batch_records = $((events / 4 + 1))"
mapfile -t dates < <(days "$(next_day "$from")" "$count")
check "a ledger with prices, contracts and credits is there" first_ledger

open_ledger undisturbed
for date in "${dates[@]}"; do here "seed $seed: the night of $date" undisturbed_night "$date"; done
check "the books reconcile" tollbook reconcile --quiet --as-of "${dates[-1]}T03:00:00Z"
wanted=$(all_of_it) wanted_manifests=$(manifests)
sql "SELECT '    ' || count(*) || ' invoices in ' || count(DISTINCT currency) || ' currencies; ' || (SELECT count(*) FROM metering.usage_event) || ' ledger rows; parked: ' ||
            (SELECT count(*) FROM finance.parked) || '; holds: ' || (SELECT count(*) FROM finance.rating_in_force JOIN finance.hold USING (rating_id)) FROM finance.invoice WHERE status = 'final'"
close_ledger

open_ledger killed
turn=0 total=0 borders=0 share=$(((kills + count - 1) / count))
for date in "${dates[@]}"; do here "seed $seed: the night of $date, killed and killed again, is done" disturbed_night "$date"; done
same "each night says of itself what it said undisturbed" "$(manifests)" "$wanted_manifests"
same "seed $seed: nights that were killed at $borders borders and $total calls leave the same rows and files" "$(all_of_it)" "$wanted"
check "the books reconcile" tollbook reconcile --quiet --as-of "${dates[-1]}T03:00:00Z"
close_ledger

open_ledger missed
arrive_all() { local day; for day in "${dates[@]}"; do arrive "$(day_before "$day")" || return 1; done; }
same_in() { use_database "$1" && rm -rf "$work" && cp -a "$room/$1" "$work" && same_nights; }
check "the first night" on_time "${dates[0]}"
arrive_all && new_prices "${dates[-1]}"
check "all nights but the first and the last are missed; the last one catches them up" comes_to '0|7' night "${dates[-1]}" --quiet
found=$(same_nights)
close_ledger
same "with the rows and documents of nights on time" "$found" "$(same_in undisturbed)"
report
