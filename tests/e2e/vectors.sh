#!/usr/bin/env bash
# Usage with the results that other projects assert in their tests, priced by the program itself, to the last decimal; rows that
# rightly differ are counted by their reasons (tests/vectors/reasons.py).  Small invented tables of the same shape try the script.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
program=${BUILD:-build}/tollbook
shared=${TOLLBOOK_SHARED:-../shared}/data
room=$(mktemp -d "${TMPDIR:-/tmp}/tollbook.XXXXXX")
trap 'rm -rf "$room"' EXIT
export PYTHONDONTWRITEBYTECODE=1

# priced FOLDER LIST [TABLE=N...]: what the tables of a folder come to; a line for each.
priced() {
	local tables=$1 list=$2
	shift 2
	rm -rf "$room/run" && mkdir "$room/run"
	python3 tests/vectors/run.py --program "$program" --tables "$tables" --list "$list" --room "$room/run" "$@" >"$room/said" 2>&1
}
# counted: its lines are this script's own.
counted() {
	cat "$room/said"
	passed=$((passed + $(grep -c '^ok - ' "$room/said"))) failed=$((failed + $(grep -c '^not ok - ' "$room/said")))
}

list=examples/price-lists/genai-prices.json
check "invented tables are as asserted, but for rows with a reason" priced tests/data/vectors "$list" llm_cost=12 llm_cost-list=2 \
	llm_cost_dataset=4 llm_cost_dataset-list=3 price_at_date=4 rate_selection=6 offpeak_windows=6 tiers=13 delta=6 tax_proration=3
equal "each reason has an invented row" "$(sed -nE 's/^.{38}[0-9]+ (.*): [A-Z0-9 ]+$/\1/p' "$room/said" | sort -u | wc -l)" \
	"$(grep -c '^    "' tests/vectors/reasons.py)"
refused "a table with fewer rows that pass than it had is told" 1 'at least 14 were expected' \
	eval 'priced tests/data/vectors "$list" tiers=14; code=$?; cat "$room/said"; (exit $code)'

# One wrong expectation in each table is found, and nothing else.
cp -r tests/data/vectors "$room/wrong"
sed -i 's/,0\.0038,exact/,0.0039,exact/; s/,0\.00228,exact/,0.00229,exact/' "$room/wrong/llm_cost.csv"
sed -i 's/,0\.000281,exact/,0.000282,exact/' "$room/wrong/llm_cost_dataset.csv"
sed -i 's/,3,>200000:6,/,3,>200001:6,/' "$room/wrong/price_at_date.csv"
sed -i '/^S3,/s/,3e-6,the/,5e-6,the/' "$room/wrong/rate_selection.csv"
sed -i '/^O5,/s/,1,/,0,/' "$room/wrong/offpeak_windows.csv"
sed -i '/^T1,/s/,27,/,27.000000000000000001,/' "$room/wrong/tiers.csv"
sed -i '/^R2,/s/,-19$/,-20/' "$room/wrong/delta.csv"
sed -i '/^X3,/s/,1000,,$/,1001,,/' "$room/wrong/tax_proration.csv"
priced "$room/wrong" "$list"
equal "a wrong expectation is found in each table" "$(sed -n 's/^    \([A-Z][0-9]*\): .*/\1/p' "$room/said" | tr '\n' ' ')" \
	"L1 L11 L11 D2 D2 P2 S3 O5 T1 R2 X3 "

# The same threshold without an event: the size of the request is an option.
of_size() {
	"$program" prices quote --book "$room/run/list.2026-09-01.json" --provider northlight --model aurora-1 --at 2026-09-01 \
		--usage output_text_tokens=1000000 --format json "$@" | sed -n 's/.*"total":"\([^"]*\)".*/\1/p; s/.*"reason":"\([^"]*\)".*/\1/p'
}
equal "a request of the threshold's size has the price below it" "$(of_size --context 200000)" 15
equal "a request of one token more has the price above it" "$(of_size --context 200001)" 22.5
equal "usage whose requests are of unknown size is held" "$(of_size | tr '\n' ' ')" "0 no_context "

if [ -d "$shared/vectors" ] && [ -r "$shared/genai-prices/data.json" ]; then
	priced "$shared/vectors" "$shared/genai-prices/data.json" llm_cost=187 llm_cost-list=60 llm_cost_dataset=1725 \
		llm_cost_dataset-list=1723 price_at_date=32 rate_selection=11 offpeak_windows=55 tiers=185 delta=47 tax_proration=4 ||
		grep -q '^not ok - ' "$room/said" || echo "not ok - the tables can be priced" >>"$room/said"
	counted
else
	skip "tables of other projects through the program: $shared/vectors or $shared/genai-prices is not there (set TOLLBOOK_SHARED)"
fi

report
