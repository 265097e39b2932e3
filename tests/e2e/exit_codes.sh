#!/usr/bin/env bash
# Each exit code is reached by a real situation; standard output is for results, standard error for talk; help is complete.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh

verbs() { tollbook help | sed -n 's/^  \([a-z][a-z ]*[a-z]\)  .*/\1/p'; }
# ends SENTENCE CODE TEXT-ON-STANDARD-ERROR COMMAND...: and nothing on standard output.
ends() {
	local sentence=$1 wanted=$2 text=$3 code=0
	shift 3
	"$@" >"$room/out" 2>"$room/err" || code=$?
	if [ "$code" = "$wanted" ] && [ ! -s "$room/out" ] && grep -qF -- "$text" "$room/err"; then ok "$wanted: $sentence"; return; fi
	not_ok "$wanted: $sentence"
	printf '    exit code %s, wanted %s with "%s" and nothing on standard output\n' "$code" "$wanted" "$text"
	sed 's/^/    out: /' "$room/out"
	sed 's/^/    err: /' "$room/err"
}
quiet_success() {
	local code=0
	"$@" >"$room/out" 2>"$room/err" || code=$?
	[ "$code" = 0 ] && [ -s "$room/out" ] && [ ! -s "$room/err" ] || { echo "exit code $code"; cat "$room/err"; return 1; }
}

# 0
while read -r verb; do
	# shellcheck disable=SC2086
	check "0: tollbook $verb --help" quiet_success tollbook $verb --help
done < <(verbs)
check "there are twenty verbs and more" test "$(verbs | wc -l)" -ge 20
check "0: tollbook --version" quiet_success tollbook --version
check "0: tollbook --help" quiet_success tollbook --help

new_database exit_codes
check "0: init" quiet_success tollbook init
usage a ann 2026-10-20T10:00:00Z small 1 0 1 >"$room/good.ndjson"
check "0: ingest of a good file" quiet_success tollbook ingest --as-of $as_of "$room/good.ndjson"
check "0: standard input may be empty" quiet_success tollbook ingest -- - </dev/null

# 2
ends "no verb" 2 'usage: tollbook VERB' tollbook
ends "an unknown verb" 2 'no verb "digest"' tollbook digest
ends "half a verb" 2 'quarantine release' tollbook quarantine
ends "an unknown option" 2 '--nonsense' tollbook status --nonsense
ends "an option twice" 2 'given twice' tollbook status --format csv --format json
ends "an option twice, once by its letter" 2 'given twice' tollbook rate -p 2026-10 --period 2026-10
ends "an option without its value" 2 'needs a value' tollbook ingest "$room/good.ndjson" --source
ends "a switch with a value" 2 'takes no value' tollbook status --quiet=yes
ends "an operand too many" 2 'does not take' tollbook status everything
ends "an operand too few" 2 'needs FILE' tollbook ingest
ends "a format that there is not" 2 'table, json or csv' tollbook status --format xml
ends "a number out of its range" 2 'whole number from 1' tollbook ingest --batch-records 0 "$room/good.ndjson"
ends "a time that is none" 2 '--as-of' tollbook status --as-of yesterday
ends "a period that is none" 2 '2026-13' tollbook rate --period 2026-13
ends "a reason that must be given" 2 '--reason' tollbook quarantine discard 1
before=$(ledger)
ends "ingest with a bad option books nothing" 2 '--nonsense' tollbook ingest --nonsense "$room/good.ndjson"
equal "nothing was touched" "$(ledger)" "$before"

# 3.  Ingest shows what it booked before it met the error.
refused "3: a file that is not there" 3 'none.ndjson' tollbook ingest "$room/none.ndjson"
mkdir "$room/folder"
refused "3: a file that is a folder" 3 'Is a directory' tollbook ingest "$room/folder"
echo '{"tollbook_prices": 1, "book": "b", "currency": "XYZ"}' >"$room/book.json"
ends "a price book in no currency" 3 'ISO 4217' tollbook prices publish "$room/book.json"
echo '{"tenants": [{"tenant": "ann"}]}' >"$room/tenants.json"
ends "a tenant without anything" 3 'must be given' tollbook tenant apply "$room/tenants.json"
printf '\037\213\010\000garbage' >"$room/broken.gz"
refused "3: a damaged .gz" 3 'ends too early' tollbook ingest "$room/broken.gz"

# 4
ends "a record that is not in quarantine" 4 'no quarantined record' tollbook quarantine show 4711
ends "an invoice that is not there" 4 'no invoice' tollbook invoice show TF-INV-1999-000001
new_database empty
ends "a database without the schema" 4 'Run: tollbook init' tollbook status
use_database exit_codes

# 5
ends "no server where the connection points to" 5 'server' tollbook status --db "host=$room/nowhere dbname=x"
ends "a database that is not there" 5 'nowhere' tollbook status --db "${server/dbname=tollbook/dbname=nowhere}"
full() { "$@" >/dev/full; }
closed() { "$@" >&-; }
ends "a full disk under standard output" 5 'standard output could not be written' full tollbook status
ends "a closed standard output" 5 'standard output could not be written' closed tollbook status
ends "a closed standard output under a verb that writes to the database" 5 'standard output could not be written' closed tollbook tenant list
ends "a full disk under help" 5 'standard output could not be written' full tollbook help
ends "a full disk under --outcomes -" 5 'could not be written' full tollbook ingest --quiet --as-of $as_of --outcomes - "$room/good.ndjson"
ends "an outcomes file in a folder that is not there" 5 'none/outcomes.csv' tollbook ingest --quiet --outcomes "$room/none/outcomes.csv" "$room/good.ndjson"

# 7
finding() {
	local code=0
	"$@" >"$room/out" 2>"$room/err" || code=$?
	[ "$code" = 7 ] && [ -s "$room/out" ] || { echo "exit code $code"; cat "$room/err"; return 1; }
}
{ cat "$room/good.ndjson"; echo broken; } >"$room/bad.ndjson"
check "7: a bad record in a file" finding tollbook ingest --as-of $as_of "$room/bad.ndjson"
check "7: usage without a price" finding tollbook rate --as-of $as_of
check "0: sound books" quiet_success tollbook reconcile
sql "SET session_replication_role = replica; ALTER TABLE metering.quarantine DISABLE TRIGGER ALL; DELETE FROM metering.quarantine"
check "7: unsound books" finding tollbook reconcile

# 8
psql -X -q -d "$TOLLBOOK_DB" -c "SELECT pg_advisory_lock(hashtextextended('tollbook.rate', 0)), pg_sleep(2)" >"$room/lock" 2>&1 &
sleep 0.5
ends "another rating run" 8 'another rating run is active' tollbook rate
wait
report
