# Sourced after report.sh, server.sh, books.sh and books_digest.sh by tests of whole nights: usage of tests/support/month_of_50.py in a drop
# folder, a configuration, and a nightly job that can be killed at any call that leaves something behind (kill_at.c).
#   make_usage OPTION...     invents it, in $usage
#   first_ledger             the database "template": prices, contracts and credits, and no night yet
#   open_ledger NAME         a copy of it, and an empty $work, which all ledgers have at the same place: paths are in what is written; what is
#                            there: drop, documents, prices
#   close_ledger             keeps $work as $room/NAME
#   arrive DAY...            the files of these days are put into the drop folder, with the time at which they came
#   night DATE [OPTION]...   a night on time, with 2:00 UTC of its day as the clock; its exit code is what is returned
#   killed FAULT DATE        a night that is killed as kill_at.c says: KILL_AT=17:during
#   stopped FAULT DATE       one that stands still in the background; goes_on CODES continues it.  Both by here SENTENCE COMMAND..., which is
#                            check(), but runs the command in this shell
work=$room/work usage=$room/usage config=$room/tollbook.conf shim=$top/build/tests/support/kill_at.so
make -s -C "$top" build/tests/support/kill_at.so >&2 || exit 1
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 PYTHONDONTWRITEBYTECODE=1

make_usage() { python3 "$top/tests/support/month_of_50.py" --out "$usage" "$@"; }
next_day() { date -u -d "$1 + 1 day" +%F; }
day_before() { date -u -d "$1 - 1 day" +%F; }
# days FROM COUNT
days() { local i; for ((i = 0; i < $2; i++)); do date -u -d "$1 + $i days" +%F; done; }

# Options of make_config are further lines of the section [source drop].
make_config() {
	cat >"$config" <<-END
		[night]
		documents = $work/documents
		patience_seconds = 5
		[apply]
		prices = $work/prices/*.json
		tenants = $usage/tenants.json
		[limits]
		charge_jump = 30
		[source drop]
		kind = files
		folder = $work/drop
		pattern = usage-*.ndjson
		$(printf '%s\n' "$@")
	END
}
grant_credits() {
	local tenant amount kind reason starts expires
	while read -r tenant amount kind reason starts expires; do
		tollbook credit grant "$tenant" "$amount" --kind "$kind" --reason "$reason" --starts "$starts" --request "first of $tenant, $kind" \
			$([ "$expires" = never ] || printf '%s\n' --expires "$expires") --quiet --by ann --as-of 2026-09-10T00:00:00Z || return 1
	done <"$usage/credits"
}
first_ledger() {
	local book
	new_database template
	tollbook init --quiet || return 1
	for book in "$usage"/prices/*.json; do tollbook prices publish --quiet --by ann --as-of 2026-09-10T00:00:00Z "$book" || return 1; done
	tollbook tenant apply --quiet --by ann --as-of 2026-09-10T00:00:00Z "$usage/tenants.json" && grant_credits
}
open_ledger() {
	ledger_name=$1
	rm -rf "$work"
	mkdir -p "$work/drop" "$work/documents" "$work/prices"
	cp -p "$usage"/prices/*.json "$work/prices/"
	copy_database template "$1"
	# Sequences of a copy that nobody checkpointed may give numbers again after a crash of the server.
	sql CHECKPOINT
}
close_ledger() { rm -rf "${room:?}/$ledger_name" && mv "$work" "$room/$ledger_name"; }
arrive() { local day; for day in "$@"; do cp -p "$usage/usage/usage-$day.ndjson" "$work/drop/" || return 1; done; }

nightly() { tollbook nightly --config "$config" "$@"; }
night() { local date=$1; shift; nightly --as-of "${date}T02:00:00Z" "$@"; }
# comes_to CODES COMMAND...: one of these exit codes, "0|7"; what was said is in $room/said.  The server needs a moment to notice that a client
# was killed; until then the next one is told that a run is active (8).
comes_to() {
	local codes=$1 code try
	shift
	for ((try = 0; try < 200; try++)); do
		code=0
		"$@" >"$room/said" 2>&1 || code=$?
		[ "$code" = 8 ] && [[ "|$codes|" != *"|8|"* ]] || break
		sleep 0.05
	done
	[[ "|$codes|" == *"|$code|"* ]] || { printf 'exit code %s, wanted %s\n' "$code" "$codes"; cat "$room/said"; return 1; }
}
on_time() { arrive "$(day_before "$1")" && comes_to '0|7' night "$1" --quiet; }

here() {
	local sentence=$1
	shift
	if "$@" >"$room/here" 2>&1; then ok "$sentence"; else not_ok "$sentence"; sed 's/^/    /' "$room/here"; fi
}
with_fault() {
	local faults=()
	while [ "$1" != -- ]; do faults+=("$1"); shift; done
	shift
	rm -f "$room/died_at"
	( exec env LD_PRELOAD="$shim" KILL_TO="$room/died_at" "${faults[@]}" "$@" ) >"$room/faulty" 2>&1 &
	process=$!
}
# killed NAME=VALUE DATE: the night is killed so; fails where it was not.
killed() {
	local code try
	for ((try = 0; try < 200; try++)); do
		code=0
		with_fault "$1" -- tollbook nightly --config "$config" --as-of "$2T02:00:00Z" --quiet
		wait "$process" 2>/dev/null || code=$?
		[ $code = 8 ] || break
		sleep 0.05
	done
	[ $code = 137 ] || { printf '%s: the night of %s was not killed: exit code %s\n' "$1" "$2" "$code"; cat "$room/faulty"; return 1; }
}
# A night that stands still would do so for ever.
standing=
nothing_stands() { [ -z "$standing" ] || kill -9 "$standing"; }
at_end+=(nothing_stands)
# stopped NAME=VALUE DATE: a night that stands still there, in the background.
stopped() {
	local try state
	with_fault "$1" -- tollbook nightly --config "$config" --as-of "$2T02:00:00Z"
	for ((try = 0; try < 400; try++)); do
		read -r _ _ state _ <"/proc/$process/stat" || break
		[ "$state" != T ] || { standing=$process; return 0; }
		sleep 0.05
	done
	kill -9 "$process"
	printf '%s: the night of %s does not stand still\n' "$1" "$2"
	cat "$room/faulty"
	return 1
}
# goes_on CODES: the night that was stopped is continued, and ends so; what it said is in $room/faulty.
goes_on() {
	local code=0
	kill -CONT "$process"
	standing=
	wait "$process" 2>/dev/null || code=$?
	[[ "|$1|" == *"|$code|"* ]] || { printf 'exit code %s, wanted %s\n' "$code" "$1"; cat "$room/faulty"; return 1; }
}
# How many calls of a night leave something behind.
calls_of() {
	local code=0
	with_fault "COUNT_TO=$room/counted" -- tollbook nightly --config "$config" --as-of "$1T02:00:00Z" --quiet
	wait "$process" || code=$?
	[ $code = 0 ] || [ $code = 7 ] || { cat "$room/faulty" >&2; return 1; }
	cut -d ' ' -f 1 "$room/counted"
}
manifests() { sql "SELECT night, manifest::json->>'digest' FROM finance.night_run ORDER BY night"; }
# What nights that were missed have in common with nights on time: all but that they were, and what had not come by then.
same_nights() {
	books_digest 'metering.*|finance.(?!night_).*'
	sql "SELECT night, at, outcome FROM finance.night_run ORDER BY night_run"
	sql "SELECT night_run, step, told, result, findings FROM finance.night_step WHERE step <> 'apply' ORDER BY 1, place"
	sql "SELECT night_run, step, unit, plan, is_done, result, digest FROM finance.night_unit WHERE step <> 'apply' ORDER BY 1, 2, 3"
	files_digest "$work/documents" | grep -v ' nights/'
}
all_of_it() { books_digest && files_digest "$work/documents"; }
