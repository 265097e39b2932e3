#!/usr/bin/env bash
# Does a stage need more instructions for a unit of its work than the baseline says?  Instructions are counted by callgrind, so that a
# busy machine does not matter; what matters is the compiler, its options, and the libraries, which the baseline names.
#   RENEW=1   writes tests/bench/instructions.txt anew
# Fails, naming the stage, where one grew by more than 5 %.  Where it fell by more than 5 % it says so: then renew the baseline.
# Another major version of gcc, another architecture or a build without -O2 makes other instructions, and says nothing: SKIPPED.
# Limits are not compared: they are the libraries' alone; and SHA-256 is left out of what hashes.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
build=${BUILD:-build}
baseline=${BASELINE:-tests/bench/instructions.txt}
events=10000
payloads=2000
room=$(mktemp -d "${TMPDIR:-/tmp}/tollbook.XXXXXX")
trap 'rm -rf "$room"' EXIT

# What the program says of itself: language, major version, level of optimisation.
producer() {
	readelf --debug-dump=info "$build/tests/bench/stages" 2>/dev/null |
		awk 'match($0, /DW_AT_producer.*: /) { made = substr($0, RSTART + RLENGTH); split(made, word, /[ .]/)
			print word[1], word[2], word[3], made ~ / -O2 / ? "-O2" : "not -O2"; exit }' || true
}
made_by="$(uname -m), $(producer)"
libraries() { dpkg-query -W -f '${Package} ${Version}\n' libc6 libssl3 zlib1g libjansson4 libxlsxwriter4 2>/dev/null | sort | paste -sd ';' | sed 's/;/; /g'; }

# The same code paths of the libraries on every processor: none of the instructions that only some have.
count() {
	env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX,-AVX512F,-ERMS,-FSRM,-BMI2,-LZCNT,-MOVBE OPENSSL_ia32cap=0x7ffaf3bfffebffff:0x0 \
		valgrind --tool=callgrind --callgrind-out-file="$room/profile" --toggle-collect='stage_*' \
		"$build/tests/bench/stages" "$room/events" "$room/payloads" "$room" >"$room/units" 2>"$room/talk" || { cat "$room/talk"; exit 1; }
	callgrind_annotate --inclusive=yes --threshold=100 "$room/profile" >"$room/annotated"
	awk -F '\t' 'FNR == NR { if ($4 !~ /the limit of/) { units[$1] = $3; unit[$1] = $2; order[++stages] = $1 }; next }
		match($0, /:stage_[a-z0-9_]+ /) {
			name = substr($0, RSTART + 7, RLENGTH - 8)
			if (split($0, part, /[ (]+/) && !(name in counted)) { number = part[1] == "" ? part[2] : part[1]; gsub(/,/, "", number); counted[name] = number }
		}
		END { for (i = 1; i <= stages; i++) printf "%s %d %s\n", order[i], counted[order[i]] / units[order[i]], unit[order[i]] }' "$room/units" "$room/annotated"
}

# STAGE COUNT WANTED UNIT
compare() {
	local percent=$(((100 * ($2 - $3) + ($2 >= $3 ? $3 : -$3) / 2) / $3))
	[ $((100 * $2)) -ge $((95 * $3)) ] || echo "    $1 fell from $3 to $2 instructions per $4; renew the baseline: make bench-check RENEW=1"
	check "$1 takes at most 5 % more than $3 instructions per $4: $2 ($percent %)" [ $((100 * $2)) -le $((105 * $3 + 100)) ]
}

command -v valgrind >/dev/null || { skip 'valgrind is not there'; report; exit 0; }
if [ "${RENEW:-}" != 1 ]; then
	wanted=$(sed -n 's/^# made by //p' "$baseline")
	[ "$wanted" = "$made_by" ] || { skip "the baseline was made by $wanted, and this is $made_by"; report; exit 0; }
	[ "$(sed -n 's/^# libraries //p' "$baseline")" = "$(libraries)" ] || echo "libraries differ from the baseline's: $(libraries)"
fi
"$build/tests/bench/generate" "$events" >"$room/events"
python3 tests/bench/format_records.py openai.chat "$payloads" >"$room/payloads"
count >"$room/counted"
if [ "${RENEW:-}" = 1 ]; then
	{
		echo '# Instructions of each stage per unit of its work, by callgrind; written by `make bench-check RENEW=1`.'
		echo "# made by $made_by"
		echo "# libraries $(libraries)"
		cat "$room/counted"
	} >"$baseline"
	cat "$baseline"
	exit 0
fi
while read -r stage counted unit; do
	wanted=$(awk -v stage="$stage" '$1 == stage { print $2 }' "$baseline")
	if [ -n "$wanted" ]; then compare "$stage" "$counted" "$wanted" "$unit"; else not_ok "$stage has a baseline; make bench-check RENEW=1 writes it"; fi
done <"$room/counted"
report
