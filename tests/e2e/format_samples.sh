#!/usr/bin/env bash
# The shared samples of usage: each becomes the events that are expected of it, or differs for a reason that is written down; and
# what only a ledger can tell, a ledger tells.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
samples=${TOLLBOOK_SHARED:-../shared}/samples
if [ ! -d "$samples" ]; then
	skip "the shared samples of usage are not at $samples"
	report
	exit
fi
. tests/support/server.sh

python3 tests/support/format_samples.py "$samples" >"$room/table" 2>&1 || printf 'wrong: format_samples.py ends with %d\n' $? >>"$room/table"
cat "$room/table"
last=$(grep 'as expected,' "$room/table")
check "each sample becomes what is expected of it, or is an exception with a reason: $last" grep -q ' 0 wrong$' <<<"$last"
check "at least 90 records are as expected" test "$(sed -n 's/.* \([0-9]*\) as expected,.*/\1/p' <<<"$last")" -ge 90
check "no more than 9 are exceptions" test "$(sed -n 's/.* \([0-9]*\) exceptions,.*/\1/p' <<<"$last")" -le 9

# The same records in a ledger: repeats and conflicts of keys, too.
mkdir "$room/records"
python3 tests/support/format_samples.py "$samples" --write "$room/records" || exit 1
new_database samples
tollbook init --quiet || exit 1
became() {
	tr -d '"\r' <"$room/outcomes.csv" | awk -F, 'NR > 1 { line = $1 " " $2 " " ($3 == "" ? "-" : $3); if (line != last) print line; last = line }'
}
files=0
for outcomes in "$room"/records/*.outcomes; do
	name=$(basename "$outcomes" .outcomes)
	mapfile -t arguments <"${outcomes%.outcomes}.arguments"
	tollbook ingest "${arguments[@]}" --as-of 2026-11-05T00:00:00Z --outcomes "$room/outcomes.csv" "${outcomes%.outcomes}.ndjson" \
		>"$room/said" 2>&1 || [ $? = 7 ] || cat "$room/said"
	equal "$name in a ledger: $(wc -l <"$outcomes") records, each with its outcome" "$(became)" "$(cat "$outcomes")"
	files=$((files + 1))
done
check "samples with repeats, conflicts and several events were ingested: $files files" test "$files" -ge 6
equal "a stored answer that was fetched again is booked once: 2 events of 3 records that have usage" \
	"$(sql "SELECT count(*) FROM metering.usage_event JOIN metering.usage_series USING (series_id) WHERE model = 'gpt-5.6-sol'")" 2
check "the books reconcile" tollbook reconcile --quiet
report
