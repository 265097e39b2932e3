#!/usr/bin/env bash
# 1,577 usage objects that providers really sent: none is silently wrong.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/formats.sh
bodies=${TOLLBOOK_SHARED:-../shared}/data/genai-prices/usage_bodies.jsonl.gz
if [ ! -f "$bodies" ]; then
	skip "the shared usage objects are not at $bodies"
	report
	exit
fi

python3 tests/support/usage_bodies.py "$bodies" >"$room/table" 2>&1 || printf 'usage_bodies.py ends with %d\n' $? >>"$room/table"
cat "$room/table"
last=$(grep ' bodies, ' "$room/table")
check "the meters of each accepted body add up to its own totals: $last" grep -q ' 0 wrong$' <<<"$last"
check "there are 1577 of them" grep -q '^1577 bodies' <<<"$last"
check "no more than 9 are set aside: $(grep -c '^set aside' "$room/table") reasons" \
	test "$(sed -n 's/.* \([0-9]*\) set aside,.*/\1/p' <<<"$last")" -le 9
check "another project read at least 1560 of them in the same way" \
	test "$(sed -n 's/.* \([0-9]*\) also as.*/\1/p' <<<"$last")" -ge 1560
report
