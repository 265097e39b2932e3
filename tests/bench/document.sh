#!/usr/bin/env bash
# Puts what `make bench` found (build/bench/facts) into the tables of docs/performance.md, between "<!-- facts NAME ... -->" and
# "<!-- end -->".  A fact that was not measured is shown as a dash; no number is written by hand.
set -euo pipefail
cd "$(dirname "$0")/../.."
cat build/bench/facts/*.tsv | awk -f tests/bench/document.awk - docs/performance.md >build/bench/performance.md
mv build/bench/performance.md docs/performance.md
grep -c '| – |' docs/performance.md | sed 's/$/ facts are not measured yet/'
