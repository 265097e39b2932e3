# Sourced by property tests after books.sh: random books of tests/property/ledger_case.py that may be published, in a folder of their own.
# Sets $number and $case, the folder; wants $seed, $keep, and a database "empty" whose schema is made.
publish() { tollbook prices publish --quiet "$case/$1.json" >"$room/published" 2>&1 || { grep -v warning "$room/published"; return 1; }; }
publish_first() {
	local name
	while read -r name; do publish "$name" || return 1; done <"$case/order"
}
# open_ledger NAME: a database of its own with the first versions of the books and the contracts.
open_ledger() { copy_database empty "$1" && publish_first && tollbook tenant apply --quiet "$case/tenants.json"; }

# find_case KIND LEDGER OPTION...: books that the linter has nothing against: one case in some.
find_case() {
	local kind=$1 ledger=$2 attempt
	shift 2
	for ((attempt = 1; attempt <= 60; attempt++)); do
		number=$((ledger * 1000 + attempt)) case=$keep/$kind-$seed-$number
		python3 tests/property/ledger_case.py make "$@" --seed "$seed" --case "$number" --out "$case" --without "${PROPERTY_WITHOUT:-}" || return 1
		copy_database empty attempt
		if publish_first >"$room/refused" 2>&1 && publish prices_2 >"$room/refused" 2>&1; then
			drop_database attempt
			return 0
		fi
		drop_database attempt
		rm -rf "$case"
	done
	cat "$room/refused"
	return 1
}
