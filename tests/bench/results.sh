# Sourced by the scripts of `make bench` after tests/support/server.sh: they measure with this, and what they find are facts.
#   timed COMMAND...   runs it, and sets, for the command: $wall, $user and $system (milliseconds), $peak (KiB); for the server
#                      meanwhile: $served (milliseconds of CPU of all its processes) and $wal (bytes).  Exit code 7, findings, is fine.
#   fact NAME VALUE UNIT SENTENCE [TARGET]
#                      prints it, and keeps it in build/bench/facts/SCRIPT.tsv.  VALUE is a whole or decimal number, TARGET ">= 0.45".
#   median NUMBER...   the middle one
#   per_second COUNT MILLISECONDS;  ratio ONE OTHER: with three decimals
# $runs is how often a thing is measured; BENCH_RUNS, 3 where it is not set.
tools=$build/tests/bench
runs=${BENCH_RUNS:-3}
facts=build/bench/facts/$(basename "$0" .sh).tsv
mkdir -p build/bench/facts
: >"$facts"

fact() {
	printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "${5:-}" >>"$facts"
	printf '%-74s %12s %-10s %s\n' "$4" "$2" "$3" "${5:+wanted $5}"
}

# User and system time of the postmaster, of the children it had and of those it has; other processes may end while they are listed.
server_cpu() {
	local postmaster
	postmaster=$(head -n 1 "$TOLLBOOK_HOME/data/postmaster.pid")
	{ cat /proc/[0-9]*/stat 2>/dev/null || true; } | awk -v postmaster="$postmaster" -v tick="$(getconf CLK_TCK)" '
		$1 == postmaster { sum += $14 + $15 + $16 + $17 }
		$4 == postmaster { sum += $14 + $15 }
		END { printf "%d\n", sum * 1000 / tick }'
}
wal_bytes() { psql -X -q -A -t -d "$server" -c "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"; }

timed() {
	local before wal_before
	before=$(server_cpu)
	wal_before=$(wal_bytes)
	rm -f "$room/took"
	"$tools/measure" "$room/took" "$@" >"$room/output" 2>&1 || [ $? = 7 ] || { cat "$room/output" >&2; exit 1; }
	read -r wall user system peak _ <"$room/took"
	wal=$(($(wal_bytes) - wal_before))
	served=$(($(server_cpu) - before))
}

median() { printf '%s\n' "$@" | sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
per_second() { echo $(($1 * 1000 / ($2 > 0 ? $2 : 1))); }
ratio() { awk -v one="$1" -v other="$2" 'BEGIN { printf "%.3f\n", other == 0 ? 0 : one / other }'; }
