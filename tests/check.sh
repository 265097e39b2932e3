#!/usr/bin/env bash
# Everything that is proved on every change; `make check` runs it.  The last line counts: N passed, N failed.
# Each step's full output is kept in build/check/STEP.log.
set -uo pipefail
cd "$(dirname "$0")/.."
. tests/support/report.sh
logs=build/check
rm -rf "$logs" && mkdir -p "$logs"
jobs=${JOBS:--j2}
unset MAKEFLAGS MAKELEVEL

# step NAME COMMAND...: counts the "ok -" and "not ok -" lines that it prints, else what its last line counts; one that counts
# nothing is one.
step() {
	local name=$1 log=$logs/$1.log code=0 start=$SECONDS good bad left
	shift
	"$@" >"$log" 2>&1 || code=$?
	good=$(grep -c '^ok - ' "$log") bad=$(grep -c '^not ok - ' "$log") left=$(grep -c '^SKIPPED: ' "$log")
	if [ "$good" = 0 ] && [ "$bad" = 0 ] && tail -n 1 "$log" | grep -qE '^[0-9]+ passed, [0-9]+ failed'; then
		read -r good _ bad _ < <(tail -n 1 "$log")
	fi
	[ "$code" = 0 ] || [ "$bad" -gt 0 ] || bad=1
	[ "$good" -gt 0 ] || [ "$bad" -gt 0 ] || [ "$left" -gt 0 ] || good=1
	echo "$good $bad $left" >>"$logs/counts"
	{
		printf '%-28s %4d passed %3d failed %3d skipped  %4d s\n' "$name" "$good" "$bad" "$left" "$((SECONDS - start))"
		grep '^SKIPPED: ' "$log" | sed 's/^/    /'
		[ "$bad" = 0 ] || show_failure "$log"
	} >"$logs/$name.told"
	cat "$logs/$name.told"
}

# step_of tests/FOLDER/NAME.sh: the step FOLDER-NAME
step_of() {
	local folder=${1%/*}
	step "${folder##*/}-$(basename "$1" .sh)" "$1"
}
# Each script has a server and a folder of its own, and mostly waits for it: three at a time keep two processors busy.
three_at_a_time() {
	local script running=0
	for script in "$@"; do
		[ "$running" -lt 3 ] || { wait -n; running=$((running - 1)); }
		step_of "$script" &
		running=$((running + 1))
	done
	wait
}

show_failure() {
	if grep -q '^not ok - ' "$1"; then sed -n '/^not ok - /,/^ok - /{/^ok - /!p}' "$1" | head -n 60; else tail -n 40 "$1"; fi | sed 's/^/    /'
}

# CUnit's summary of each program, as lines that can be counted.
units() {
	local program code output bad=0
	for program in $(find tests/unit -name '*_test.c' | sort | sed 's/\.c$//'); do
		code=0
		output=$("build/sanitized/$program" 2>&1) || code=$?
		printf '%s\n' "$output" | sed -n 's/^ *\(SKIPPED: .*\)/\1/p'
		printf '%s\n' "$output" | awk -v unit="${program#tests/unit/}" -v code="$code" '
			$1 == "tests" && NF == 6 { ran = $3; good = $4; bad = $5 }
			END {
				if (code != 0 && bad == 0) bad = 1
				for (i = 1; i <= good; i++) printf "ok - %s, test %d\n", unit, i
				for (i = 1; i <= bad; i++) printf "not ok - %s\n", unit
				if (good + bad == 0) printf "not ok - %s ran no test\n", unit
			}'
		[ "$code" = 0 ] || { printf '%s\n' "$output" | grep -vE 'passed$'; bad=1; }
	done
	return $bad
}

started=$SECONDS
step build make $jobs all kafka-tools
step build-sanitized make $jobs SANITIZE=1 all units
step build-clang make $jobs CC=clang all
# What is left of the processors while others wait for time to pass.
step lint nice -n 19 tests/lint.sh &
step units units
export BUILD=build/sanitized
step stories tests/run_stories.sh
# What is about time and dying processes has the machine for itself.
alone='kafka kafka_chaos kafka_night kafka_tls killed private_server'
together=()
for script in tests/e2e/*.sh; do
	case " $alone " in
	*" $(basename "$script" .sh) "*) step_of "$script" ;;
	*) together+=("$script") ;;
	esac
done
# The same cases on every change; `make check-deep` draws others.
export PROPERTY_SEED=${PROPERTY_SEED:-20261129}
three_at_a_time tests/property/*.sh "${together[@]}"
unset BUILD
step demo examples/demo.sh
step demo-in-libreoffice tests/xlsx_libreoffice.sh build/demo/tollbook-2026-10.xlsx
echo "took $((SECONDS - started)) s; logs are in $logs"
read -r passed failed skipped < <(awk '{ good += $1; bad += $2; left += $3 } END { print good + 0, bad + 0, left + 0 }' "$logs/counts")
report
