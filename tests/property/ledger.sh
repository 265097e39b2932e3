#!/usr/bin/env bash
# From files to charges: random usage of several tenants, in any order and any split, rated again and again or once, by one worker or
# several, costs what the second, slow rater says; and its charges have the same digests however it came.
#   PROPERTY_LEDGERS   how many; 2 where it is not set
#   PROPERTY_FIRST     the first, 1 where it is not set: ledger 3001 alone is PROPERTY_FIRST=3 PROPERTY_LEDGERS=1
#   PROPERTY_SEED      which; the seed of a run that failed repeats it
#   PROPERTY_WITHOUT   parts of the language to leave out, comma between them (FEATURES in generate.py)
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/support/report.sh
. tests/support/server.sh
. tests/support/books.sh
. tests/support/random_books.sh
seed=${PROPERTY_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
first=${PROPERTY_FIRST:-1} ledgers=${PROPERTY_LEDGERS:-2}
keep=$build/property
RANDOM=$((10#${seed: -4}))
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$keep"

in_order() { ls "$case"/order_"$1".part_*.ndjson; }
rate_all() { finds rate "$@"; }

# One file, one rating.
plain() {
	open_ledger ledger_1 && publish prices_2 && booked 1 && rate_all
}
booked() { local file; for file in $(in_order "$1"); do finds ingest "$file" || return 1; done; }
# Several files in another order, a rating after each; the new version of the book comes when some is priced already.
in_pieces() {
	local file count=0
	open_ledger ledger_2 || return 1
	for file in $(in_order 2); do
		finds ingest --batch-records "$((1 + RANDOM % 50))" "$file" || return 1
		rate_all || return 1
		count=$((count + 1))
		[ "$count" != 2 ] || publish prices_2 || return 1
	done
	rate_all
}
# A third order by two processes at once, each file of them twice, and rated by several workers.
at_once() {
	local one other workers=()
	open_ledger ledger_3 && publish prices_2 || return 1
	! tollbook rate --help | grep -q -- --workers || workers=(--workers 3)
	# What takes back must find its original: the files one after another, but each by two at once.
	for file in $(in_order 3); do
		finds ingest --batch-records 7 "$file" >"$room/one" 2>&1 & one=$!
		finds ingest --batch-records 20 "$file" >"$room/other" 2>&1 & other=$!
		wait "$one" || { cat "$room/one"; return 1; }
		wait "$other" || { cat "$room/other"; return 1; }
	done
	rate_all ${workers[@]+"${workers[@]}"}
}

digests() { sql "SELECT tenant, period, encode(output_digest, 'hex') FROM finance.current_rating ORDER BY 1, 2"; }
charged() {
	sql "SELECT to_jsonb(c) || jsonb_build_object('tenant', r.tenant, 'period', r.period, 'label', v.book || '@' || v.version)
	       FROM finance.charge c JOIN finance.current_rating r USING (rating_id)
	       LEFT JOIN finance.price_book_version v USING (price_book_version_id)" >"$case/charges.json"
	sql "SELECT to_jsonb(h) || jsonb_build_object('tenant', r.tenant, 'period', r.period)
	       FROM finance.hold h JOIN finance.current_rating r USING (rating_id)" >"$case/holds.json"
}
agrees() { charged && python3 tests/property/ledger_case.py compare --folder "$case" --charges "$case/charges.json" --holds "$case/holds.json"; }

echo "seed $seed, $ledgers ledgers"
new_database empty
check "the books are set up" tollbook init
for ((ledger = first; ledger < first + ledgers; ledger++)); do
	before=$failed number= case=
	find_case ledger "$ledger" >"$room/found" 2>&1 || { not_ok "seed $seed: books that may be published were found"; cat "$room/found"; continue; }
	what="seed $seed, ledger $number"
	check "$what: usage in one file is booked and rated" plain
	use_database ledger_1
	check "$what: its charges are what the second rater says" agrees
	wanted=$(digests)
	check "$what: books reconcile" tollbook reconcile --quiet
	check "$what: in another order, in pieces, rated after each, with a late price book" in_pieces
	use_database ledger_2
	equal "$what: the charges have the same digests" "$(digests)" "$wanted"
	check "$what: books reconcile, too" tollbook reconcile --quiet
	check "$what: in a third order, by two processes at once, rated by several workers" at_once
	use_database ledger_3
	equal "$what: the charges have the same digests again" "$(digests)" "$wanted"
	for n in 1 2 3; do drop_database "ledger_$n"; done
	if [ "$failed" = "$before" ]; then rm -rf "$case"; else echo "    files are in $case"; fi
done
report
