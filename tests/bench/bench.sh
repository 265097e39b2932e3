#!/usr/bin/env bash
# How fast it is: each part in its turn, and at the end every target with what was found.  A part that fails does not stop the others.
#   BENCH_PARTS       which, "stages ledger consume scaling rating invoices workbook" where it is not set
#   BENCH_EVENTS, BENCH_RUNS and what the parts take besides: see the head of each script
# What is printed is kept in build/bench/result.txt, the facts in build/bench/result.json.
set -uo pipefail
cd "$(dirname "$0")/../.."
parts=${BENCH_PARTS:-stages ledger consume scaling rating invoices workbook}
mkdir -p build/bench/facts
failed=0
{
	echo "$(date -u +%Y-%m-%dT%H:%M:%SZ), $(uname -m), $(nproc) cores, $(awk '/^MemTotal/ { printf "%d", $2 / 1048576 }' /proc/meminfo) GiB, $(git describe --always --dirty 2>/dev/null || echo 'no git')"
	for part in $parts; do
		printf '\n--- %s\n' "$part"
		# So that what is told at the end is of this run; of "flat", which takes hours, of its last one.
		rm -f "build/bench/facts/$part.tsv"
		"tests/bench/$part.sh" || { failed=1; echo "$part failed"; }
	done
	printf '\n--- targets\n'
	for part in $parts flat; do [ ! -f "build/bench/facts/$part.tsv" ] || cat "build/bench/facts/$part.tsv"; done | awk -f tests/bench/targets.awk
	for part in $parts flat; do [ ! -f "build/bench/facts/$part.tsv" ] || cat "build/bench/facts/$part.tsv"; done | awk -v json=1 -f tests/bench/targets.awk >build/bench/result.json
	[ "$failed" = 0 ]
} | tee build/bench/result.txt
