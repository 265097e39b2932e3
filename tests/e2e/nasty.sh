#!/usr/bin/env bash
# Records as bad as they come: each gets the outcome, the reason and the flags that it should, whatever stands beside it.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
samples=${TOLLBOOK_SHARED:-../shared}/samples

# What became of each record: "RECORD OUTCOME CODE FLAG FLAG ...".
outcomes() {
	ingest --batch-records "$2" --outcomes "$room/outcomes.csv" "$1" >"$room/said" 2>&1
	tr -d '"\r' <"$room/outcomes.csv" | awk -F, 'NR > 1 { print $1, $2, ($3 == "" ? "-" : $3) ($4 == "" ? "" : " " $4) }'
}
judged() {
	local what=$1 file=$2 expected=$3 records
	for records in 1 10 50000; do
		new_database "${what}_$records"
		exits 0 tollbook init || exit 1
		equal "$what, $records records a transaction: each of $(wc -l <"$expected") outcomes is the expected one" \
			"$(diff <(outcomes "$file" "$records") "$expected")" ''
		check "$what, $records records a transaction: the books reconcile" tollbook reconcile --quiet
	done
	equal "$what: what was accepted, and nothing else, is in the ledger" \
		"$(sql "SELECT count(*) FROM metering.usage_event WHERE kind = 1")" "$(grep -c ' accepted ' "$expected")"
	equal "$what: bytes of what was set aside are kept, each as it came" \
		"$(sql "SELECT count(*) FROM metering.quarantine WHERE raw_digest = sha256(raw) AND raw_length = length(raw)")" \
		"$(grep -cE ' (quarantined|rejected) ' "$expected")"
}

# Our own: the answer stands before each record; the last one lacks its end.
cut -f1 tests/data/nasty.txt | awk '{ print NR, $0 }' >"$room/expected"
cut -f2- tests/data/nasty.txt | head -c -1 >"$room/nasty.ndjson"
for outcome in accepted duplicate ignored quarantined rejected; do
	check "our own: some are $outcome" grep -q " $outcome " "$room/expected"
done
judged own "$room/nasty.ndjson" "$room/expected"

expected_of_samples() {
	awk -F'"' 'function finish() { if (record != "") print record, outcome, (code == "" ? "-" : code) flags }
		$2 == "record" { finish(); record = $3; gsub(/[^0-9]/, "", record); outcome = code = flags = "" }
		$2 == "outcome" {
			outcome = $4
			sub(/^accept(_flagged)?$/, "accepted", outcome); sub(/^reject$/, "rejected", outcome); sub(/^quarantine$/, "quarantined", outcome)
		}
		$2 == "code" { code = $4 }
		$2 ~ /^F_/ { flags = flags " " $2 }
		END { finish() }' "$1"
}
if [ -f "$samples/nasty-lines.ndjson" ]; then
	expected_of_samples "$samples/nasty-lines.expected.json" >"$room/expected"
	equal "all 81 shared nasty lines have an expected outcome" "$(wc -l <"$room/expected")" 81
	judged shared "$samples/nasty-lines.ndjson" "$room/expected"
else
	skip "the shared nasty lines are not in $samples"
fi
report
